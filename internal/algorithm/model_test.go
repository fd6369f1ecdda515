package algorithm_test

// A second opinion: the five algorithms in exact rational arithmetic, written
// from the definitions in the design and not from the code. A token bucket
// counts tokens, GCRA moves a theoretical arrival time, a window is a list of
// what was admitted. The model knows only how to bring a key to an instant,
// whether a cost fits, and whether anything still counts; remaining, wait and
// reset are found by asking those questions, never by a formula.

import (
	"math/big"

	"github.com/weirhq/weir/internal/algorithm"
)

// model is one key under the definitions. Values are not changed once made.
type model interface {
	// at is the key at an instant under a limit, and what a refusal there leaves
	// of it: nil if nothing changes, otherwise the key was in the future or
	// belonged to another rate or period. fits and idle are asked of a model that
	// is at their limit and instant.
	at(l *algorithm.Limit, now int64) (there, refused model)
	fits(l *algorithm.Limit, now, n int64) bool
	add(l *algorithm.Limit, now, n int64) (model, modelCharge)
	// idle says that nothing counts any more.
	idle(l *algorithm.Limit, now int64) bool
	refund(l *algorithm.Limit, now int64, c modelCharge) (model, bool)
}

// modelCharge is a take as the model remembers it. before is the level, in
// requests, just before it (bucket).
type modelCharge struct {
	at, cost int64
	before   *big.Rat
}

func newModel(kind algorithm.Kind) model {
	switch kind {
	case algorithm.FixedWindow:
		return windowModel{}
	case algorithm.SlidingLog:
		return logModel{}
	case algorithm.SlidingCounter:
		return counterModel{}
	case algorithm.TokenBucket:
		return tokenModel{}
	default:
		return arrivalModel{}
	}
}

// modelTake is what a take does to any key.
func modelTake(m model, l *algorithm.Limit, now, n int64) (model, modelCharge, bool) {
	if n == 0 || l.Count == 0 {
		return m, modelCharge{}, n == 0
	}
	there, refused := m.at(l, now)
	if n <= capacity(l) && there.fits(l, now, n) {
		next, charge := there.add(l, now, n)
		return next, charge, true
	}
	if w, ok := there.(windowModel); ok && l.CountAll {
		next, _ := w.add(l, now, n)
		return next, modelCharge{}, false
	}
	if refused != nil {
		return refused, modelCharge{}, false
	}
	return m, modelCharge{}, false
}

func capacity(l *algorithm.Limit) int64 {
	if l.Kind == algorithm.TokenBucket || l.Kind == algorithm.GCRA {
		return l.Burst
	}
	return l.Count
}

// modelOutcome finds an outcome by search, relying only on the fact that a key
// left alone frees up and never fills.
func modelOutcome(m model, l *algorithm.Limit, now, n int64) algorithm.Outcome {
	if l.Count == 0 {
		return algorithm.Outcome{Wait: algorithm.Never}
	}
	n = max(n, 1)
	there, settled := settle(m, l, now)
	o := algorithm.Outcome{Wait: algorithm.Never, Overrun: overrun(there, l, now)}
	o.Remaining = last(capacity(l), func(k int64) bool { return k == 0 || there.fits(l, now, k) })
	o.Reset = first(func(d int64) bool { return resetAt(settled, l, now, d) })
	if n <= capacity(l) {
		o.Wait = first(func(d int64) bool { return fitsAt(settled, l, now+d, n) })
	}
	return o
}

// wrongOutcome says which field of an outcome does not hold, by checking each at
// the value and one beside it; "" when all hold.
func wrongOutcome(m model, l *algorithm.Limit, now, n int64, o algorithm.Outcome) string {
	if l.Count == 0 {
		if o != (algorithm.Outcome{Wait: algorithm.Never}) {
			return "blocked"
		}
		return ""
	}
	n = max(n, 1)
	there, settled := settle(m, l, now)
	r := o.Remaining
	switch {
	case o.Overrun != overrun(there, l, now):
		return "overrun is wrong"
	case r < 0 || r > capacity(l) || r > 0 && !there.fits(l, now, r):
		return "remaining is too much"
	case r < capacity(l) && there.fits(l, now, r+1):
		return "remaining is too little"
	case o.Reset < 0 || !resetAt(settled, l, now, o.Reset):
		return "reset is too early"
	case o.Reset > 0 && resetAt(settled, l, now, o.Reset-1):
		return "reset is too late"
	case n > capacity(l):
		if o.Wait != algorithm.Never {
			return "wait is not never"
		}
	case o.Wait < 0 || o.Wait == algorithm.Never || !fitsAt(settled, l, now+o.Wait, n):
		return "wait is too short"
	case o.Wait > 0 && fitsAt(settled, l, now+o.Wait-1, n):
		return "wait is too long"
	}
	return ""
}

func overrun(there model, l *algorithm.Limit, now int64) bool {
	return l.Kind == algorithm.FixedWindow && !there.fits(l, now, 0)
}

// settle is the key at an instant, and as a refusal there leaves it.
func settle(m model, l *algorithm.Limit, now int64) (there, settled model) {
	there, settled = m.at(l, now)
	if settled == nil {
		settled = m
	}
	return there, settled
}

func fitsAt(m model, l *algorithm.Limit, then, n int64) bool {
	later, _ := m.at(l, then)
	return later.fits(l, then, n)
}

// resetAt says that the key is as good as new d µs after now. A fixed window is
// the exception: its reset is the end of the window that holds now, used or not.
func resetAt(m model, l *algorithm.Limit, now, d int64) bool {
	if l.Kind == algorithm.FixedWindow {
		return windowOf(now+d, l.Period) > windowOf(now, l.Period)
	}
	later, _ := m.at(l, now+d)
	return later.idle(l, now+d)
}

// first is the smallest d ≥ 0 for which a monotone yes is true.
func first(yes func(d int64) bool) int64 {
	if yes(0) {
		return 0
	}
	high := int64(1)
	for !yes(high) {
		high *= 2
	}
	low := high / 2 // no, or 0
	return low + 1 + search(high-low-1, func(i int64) bool { return yes(low + 1 + i) })
}

// last is the largest k from 0 to most for which a monotone yes is true.
func last(most int64, yes func(k int64) bool) int64 {
	return search(most, func(i int64) bool { return !yes(i + 1) })
}

// search is sort.Search, also where an int has 32 bits.
func search(n int64, yes func(i int64) bool) int64 {
	low := int64(0)
	for low < n {
		if middle := low + (n-low)/2; yes(middle) {
			n = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
