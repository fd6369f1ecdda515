// Package trail remembers what was decided, so that people can see it: counts for
// each limit and second, the last decisions by id, and the callers who ask most
// and are refused most.
//
//	t := trail.New()
//	go t.Run(ctx)              // counts become ticks; ends with ctx
//	t.Decided(&request, &decision)
//
// # Cost
//
// A decision that is only counted allocates nothing and waits for nobody: counters
// are atomic, and a part of a sketch that another goroutine holds is passed over
// and the loss counted. Decisions are kept whole at most [keptPerSecond] times a
// second of each kind, admitted and refused; beyond that they are counted.
//
// # Memory
//
// Nothing here grows with callers: see the constants. Limits beyond [maxLimits]
// are part of the sums only.
package trail

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/weirhq/weir"
)

const (
	keptPerSecond = 1000
	keptAdmitted  = 4096    // decisions
	keptRefused   = 2048    // decisions, apart from those
	keptBytes     = 8 << 20 // of each of both
)

// Trail is the memory. Make it with [New]. Its methods may be called concurrently.
type Trail struct {
	seed   maphash.Seed
	sums   sums
	meters atomic.Pointer[map[meterName]*meter] // copied to be written
	grow   sync.Mutex                           // held while it is

	admitted, refused   *ring
	mayAdmit, mayRefuse atomic.Int64 // how many more are kept in this second
	latency             latency
	ticks               history
}

// sums count since the start.
type sums struct {
	allowed, refused, shadowRefused, denied, errors, degraded atomic.Int64
}

// New makes an empty trail.
func New() *Trail {
	t := &Trail{seed: maphash.MakeSeed(), admitted: newRing(keptAdmitted, keptBytes), refused: newRing(keptRefused, keptBytes)}
	t.meters.Store(&map[meterName]*meter{})
	t.refill()
	return t
}

func (t *Trail) refill() {
	t.mayAdmit.Store(keptPerSecond)
	t.mayRefuse.Store(keptPerSecond)
}

// Failed counts a request for which no decision could be made.
func (t *Trail) Failed() { t.sums.errors.Add(1) }

// Decided notes a decision about a request. It keeps neither. What was only a
// peek can be looked up by its id, and is not counted.
func (t *Trail) Decided(r *Request, d *weir.Decision) {
	if len(d.Checks) > 0 && d.Checks[0].Peek {
		t.keep(&t.mayAdmit, t.admitted, r, d)
		return
	}
	refusedInShadow := false
	for i := range d.Results {
		c, result := &d.Checks[i], &d.Results[i]
		t.checked(c, result)
		refusedInShadow = refusedInShadow || !result.Allowed && isShadow(c)
	}
	t.count(d, refusedInShadow)
	if d.Allowed && !refusedInShadow {
		t.keep(&t.mayAdmit, t.admitted, r, d)
		return
	}
	t.keep(&t.mayRefuse, t.refused, r, d)
}

func (t *Trail) count(d *weir.Decision, refusedInShadow bool) {
	switch {
	case d.Denied != "":
		t.sums.denied.Add(1)
	case d.Allowed:
		t.sums.allowed.Add(1)
	default:
		t.sums.refused.Add(1)
	}
	if refusedInShadow {
		t.sums.shadowRefused.Add(1)
	}
	if d.Degraded {
		t.sums.degraded.Add(1)
	}
}

func (t *Trail) checked(c *weir.Check, r *weir.Result) {
	m := t.meter(c)
	if m == nil {
		return
	}
	switch {
	case r.Allowed:
		m.allowed.Add(1)
	case isShadow(c):
		m.shadowRefused.Add(1)
	default:
		m.refused.Add(1)
	}
	m.use(r)
	m.asked(t.hash(c.Key.Identity), c, r)
}

// DecidedEach notes checks that were requests of their own. There are hundreds of
// thousands a second: neighbours of one limit are counted at once, and of callers
// only those that were refused are remembered.
func (t *Trail) DecidedEach(checks []weir.Check, results []weir.Result) {
	for len(checks) > 0 {
		n := sameLimit(checks)
		t.decidedAlike(checks[:n], results[:n])
		checks, results = checks[n:], results[n:]
	}
}

// sameLimit is how many of the checks, from the first on, are of its limit.
func sameLimit(checks []weir.Check) int {
	first := &checks[0].Key
	for i := range checks {
		if key := &checks[i].Key; key.Limit != first.Limit || key.Layer != first.Layer {
			return i
		}
	}
	return len(checks)
}

func (t *Trail) decidedAlike(checks []weir.Check, results []weir.Result) {
	m := t.meter(&checks[0])
	var allowed, refused int64
	for i := range results {
		if results[i].Allowed {
			allowed++
			continue
		}
		refused++
		if m != nil {
			m.asked(t.hash(checks[i].Key.Identity), &checks[i], &results[i])
		}
		if t.mayRefuse.Load() > 0 {
			d := weir.Decide(weir.NewID(), checks[i:i+1:i+1], results[i:i+1:i+1])
			t.keep(&t.mayRefuse, t.refused, &Request{}, &d)
		}
	}
	t.sums.allowed.Add(allowed)
	t.sums.refused.Add(refused)
	if results[0].Degraded {
		t.sums.degraded.Add(int64(len(results)))
	}
	if m != nil {
		m.allowed.Add(allowed)
		m.refused.Add(refused)
		m.use(&results[len(results)-1])
	}
}

func (t *Trail) hash(identity string) uint64 { return maphash.String(t.seed, identity) }

// keep makes a record, if the second has room for one more.
func (t *Trail) keep(room *atomic.Int64, in *ring, r *Request, d *weir.Decision) {
	if room.Load() > 0 && room.Add(-1) >= 0 {
		in.put(NewRecord(r, d))
	}
}

// Decision is what is remembered of a decision; nil where nothing is.
func (t *Trail) Decision(id weir.ID) *Record {
	if r := t.refused.find(id); r != nil {
		return r
	}
	return t.admitted.find(id)
}

// Refusals are the last n at most, newest first. Those of shadow limits are among
// them.
func (t *Trail) Refusals(n int) []*Record { return t.refused.last(n) }

// Admissions are the last n at most, newest first.
func (t *Trail) Admissions(n int) []*Record { return t.admitted.last(n) }

func isShadow(c *weir.Check) bool { return c.Group != nil && c.Group.Shadow }
