package replay

import (
	"net/netip"

	"github.com/weirhq/weir"
)

// tally adds up decisions. What it holds grows with the number of callers and of
// limits.
type tally struct {
	requests, refused int64
	from, to          int64 // µs

	callers roster
	who     []caller // by roster
	rows    []*row
	rowOf   map[rowKey]*row
	denied  map[string]int64
	names   map[string]string // identities of stand-ins, and the host names

	times  timeline
	routes *heavy
}

// caller is what is known of one.
type caller struct {
	requests, refused int64
	minute            int64 // since the Unix epoch, of count
	count, peak       int64 // requests in a calendar minute
}

// rowKey tells limits apart: plans have limits of one name, and one limit may
// stand under several names.
type rowKey struct {
	layer, name string
	limit       *weir.Limit
	shadow      bool
}

// roster numbers identities in the order in which they come.
type roster struct {
	numbers map[string]int32
	texts   []string
	last    int32 // asked for: a request's layers mostly count it as the same
}

func (r *roster) number(identity string) int32 {
	if len(r.texts) > 0 && r.texts[r.last] == identity {
		return r.last
	}
	n, known := r.numbers[identity]
	if !known {
		n = int32(len(r.texts))
		r.numbers[identity] = n
		r.texts = append(r.texts, identity)
	}
	r.last = n
	return n
}

func newTally() *tally {
	return &tally{
		callers: roster{numbers: map[string]int32{}},
		rowOf:   map[rowKey]*row{},
		denied:  map[string]int64{},
		names:   map[string]string{},
		routes:  newHeavy(maxRoutes),
	}
}

// add takes the decision on one request. now never goes back.
func (t *tally) add(who string, e *entry, now int64, d *weir.Decision) {
	if t.requests == 0 {
		t.from = now
	}
	t.to = now
	t.requests++
	t.times.add(now, !d.Allowed)
	t.countCaller(who, e, now, !d.Allowed)
	if !d.Allowed {
		t.refused++
		t.routes.add(route(e))
		if d.Denied != "" {
			t.denied[d.Denied]++
		}
	}
	for i := range d.Checks {
		t.check(&d.Checks[i], &d.Results[i], now)
	}
}

func (t *tally) countCaller(who string, e *entry, now int64, refused bool) {
	n := t.callers.number(who)
	for int(n) >= len(t.who) {
		t.who = append(t.who, caller{})
	}
	if e.name != "" && e.ip == (netip.Addr{}) {
		t.names[who] = e.name
	}
	c := &t.who[n]
	c.requests++
	if refused {
		c.refused++
	}
	if minute := now / minute; minute != c.minute {
		c.minute, c.count = minute, 0
	}
	c.count++
	c.peak = max(c.peak, c.count)
}

const minute = 60_000_000 // µs

func (t *tally) check(c *weir.Check, result *weir.Result, now int64) {
	key := rowKey{c.Key.Layer, c.Key.Limit, c.Limit, c.Group != nil && c.Group.Shadow}
	r := t.rowOf[key]
	if r == nil {
		r = newRow(key)
		t.rowOf[key] = r
		t.rows = append(t.rows, r)
	}
	r.add(t.callers.number(c.Key.Identity), now, c.Cost, !result.Allowed)
}

// route is what a request asked for, as the table of refused routes names it.
func route(e *entry) string {
	method, path := e.method, e.path
	if method == "" {
		method = "-"
	}
	if path == "" {
		path = "/"
	}
	return method + " " + beginning(path, 120)
}
