package replay

import "github.com/weirhq/weir"

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

	times   timeline
	routes  *heavy
	backlog backlog
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

func newTally() *tally {
	return &tally{
		callers: newRoster(),
		rowOf:   map[rowKey]*row{},
		denied:  map[string]int64{},
		names:   map[string]string{},
		routes:  newHeavy(maxRoutes),
	}
}

// number is the caller's of that identity.
func (t *tally) number(identity string) int32 {
	n := t.callers.number(identity)
	if int(n) == len(t.who) {
		t.who = append(t.who, caller{})
	}
	return n
}

// add takes the decision on one request. now never goes back.
func (t *tally) add(r *request, p *plan, now int64, allowed bool) {
	if t.requests == 0 {
		t.from = now
	}
	t.to = now
	t.requests++
	passed := allowed && p.denied == ""
	t.times.add(now, !passed)
	t.countCaller(r.from, p.who, now, !passed)
	if !passed {
		t.refused++
		t.routes.add(route(r.to))
	}
	if allowed && p.denied != "" {
		t.denied[p.denied]++
	}
	for i := range p.checks {
		t.count(&p.checks[i], now)
	}
}

func (t *tally) countCaller(from *origin, who int32, now int64, refused bool) {
	if from.beside != nil && from.beside.name != "" && !from.ip.IsValid() {
		t.names[t.callers.texts[who]] = from.beside.name
	}
	c := &t.who[who]
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

// touch reads a word of whatever the plan's next request will need.
func (t *tally) touch(p *plan) (words int64) {
	words = t.who[p.who].count
	for _, m := range p.mets {
		words += m.requests + m.account.state.Stamp()
	}
	return words
}

const minute = 60_000_000 // µs

// meet is the check's caller at the check's limit.
func (t *tally) meet(c *weir.Check) *met {
	return t.row(c).meet(t.number(c.Key.Identity))
}

func (t *tally) row(c *weir.Check) *row {
	key := rowKey{c.Key.Layer, c.Key.Limit, c.Limit, c.Group != nil && c.Group.Shadow}
	r := t.rowOf[key]
	if r == nil {
		r = newRow(key, t.shelf(c))
		t.rowOf[key] = r
		t.rows = append(t.rows, r)
	}
	return r
}

func (t *tally) shelf(c *weir.Check) *shelf {
	for _, r := range t.rows {
		if r.key.layer == c.Key.Layer && r.key.name == c.Key.Limit {
			return r.shelf
		}
	}
	return new(shelf)
}

func (t *tally) count(c *check, now int64) {
	c.met.requests++
	if !c.allowed {
		c.met.refused++
	}
	if c.tried {
		t.backlog.add(c.met, now, c.cost)
	}
}

// route is what a request asked for, as the table of refused routes names it.
func route(to *target) string {
	if to.route != "" {
		return to.route
	}
	method, path := to.method, to.path
	if method == "" {
		method = "-"
	}
	if path == "" {
		path = "/"
	}
	to.route = method + " " + beginning(path, 120)
	return to.route
}
