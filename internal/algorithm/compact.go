package algorithm

import (
	"sync"
	"sync/atomic"
)

// A bucket is decided by one integer where its limit allows: the theoretical arrival
// time (TAT), at which the level will have leaked away, in units of 1/num µs, in
// which it is whole. That is no approximation: the level at an instant t is
// (TAT − t·num) / den requests.
//
// What one integer does not say is under which rate it was written, and the unit
// is that rate's. So limits with a compact form have a number, and whoever keeps a
// TAT keeps the limit's number beside it; and the instant of the last take, from
// which another rate would have drained the level. With these two it turns into a
// State and back without a loss.

// TAT is a theoretical arrival time in units of 1/num µs since the Unix epoch,
// modulo 2^62: a table has two bits for itself. Only its distance from an instant means
// anything: up to maxCompactDebt it is to come, and otherwise it has passed, for 17 years
// under the fastest of compact limits.
type TAT uint64

const (
	maxCompactNum  = 1 << 13
	maxCompactDebt = 1 << 57 // in units of 1/num µs: a full bucket

	tatMask = 1<<62 - 1
)

// IDBits is how many bits a limit's number has.
const IDBits = 12

// interned numbers the rates and bursts that have a compact form, for the whole
// process: a limit that is loaded twice has one number, and numbers are never
// given back. There are 4095; the limits after that have no compact form.
var interned struct {
	sync.Mutex
	ids    map[shape]uint32
	limits atomic.Pointer[[]Limit] // by number; 0 is nobody's
}

func init() { // empty, not absent: readers need not ask
	interned.ids = map[shape]uint32{}
	interned.limits.Store(&[]Limit{{}})
}

// shape is what a TAT's meaning hangs on, and the burst, by which a table weighs
// who has used how much.
type shape struct{ num, den, burst int64 }

// number gives the limit its number, if it has a compact form.
func (l *Limit) number() {
	if l.Num > maxCompactNum || !productAtMost(l.Burst, l.Den, maxCompactDebt, 1) {
		return
	}
	interned.Lock()
	defer interned.Unlock()
	s := shape{l.Num, l.Den, l.Burst}
	if id, found := interned.ids[s]; found {
		l.id = id
		return
	}
	limits := *interned.limits.Load()
	if len(limits) == 1<<IDBits {
		return
	}
	l.id = uint32(len(limits))
	interned.ids[s] = l.id
	limits = append(limits, *l) // what was published before is not touched
	interned.limits.Store(&limits)
}

// CompactID is the limit's number, 1 to 2^IDBits−1; 0 for a limit that has no
// compact form.
func (l *Limit) CompactID() uint32 { return l.id }

// CompactLimits are limits with the rate and burst of each number, for reading
// only.
func CompactLimits() []Limit { return *interned.limits.Load() }

// debt is what is left of the level at now, in units of 1/num µs, at least 0.
func (l *Limit) debt(t TAT, now int64) int64 {
	if debt := (uint64(t) - uint64(now)*uint64(l.Num)) & tatMask; debt <= maxCompactDebt {
		return int64(debt)
	}
	return 0
}

// room is the largest debt beside which a cost of n ≤ Burst fits.
func (l *Limit) room(n int64) int64 { return (l.Burst - n) * l.Den }

// TakeTAT is [Limit.Take] on the compact form: it decides a cost n ≥ 0 at now and
// returns the TAT to keep.
func (l *Limit) TakeTAT(t TAT, now, n int64) (TAT, bool) {
	debt := l.debt(t, now)
	if n == 0 || n > l.Burst || debt > l.room(n) {
		return t, n == 0
	}
	return l.tat(now, debt+n*l.Den), true
}

func (l *Limit) tat(now, debt int64) TAT {
	return TAT((uint64(now)*uint64(l.Num) + uint64(debt)) & tatMask)
}

// ReadTAT is [Limit.Read] on the compact form.
func (l *Limit) ReadTAT(t TAT, now, n int64) Outcome {
	debt := l.debt(t, now)
	return l.outcome(debt, debt/l.Den, debt%l.Den, n)
}

// SettleTAT is [Limit.Read] and [Limit.Charged] on the compact form, of a cost n ≥ 1
// that was admitted at now and left the TAT.
func (l *Limit) SettleTAT(t TAT, now, n int64) (Outcome, Charge) {
	debt := l.debt(t, now)
	whole, frac := debt/l.Den, debt%l.Den
	return l.outcome(debt, whole, frac, n), Charge{Cost: n, At: now, Whole: whole - n, Frac: frac}
}

// ChargedTAT is [Limit.Charged] on the compact form.
func (l *Limit) ChargedTAT(t TAT, now, n int64) Charge {
	debt := l.debt(t, now)
	return Charge{Cost: n, At: now, Whole: debt/l.Den - n, Frac: debt % l.Den}
}

// outcome is that of a debt of whole + frac/Den requests, for a cost of n.
func (l *Limit) outcome(debt, whole, frac, n int64) Outcome {
	o := Outcome{Remaining: l.Burst - whole, Reset: ceil(debt, l.Num)}
	if frac > 0 {
		o.Remaining--
	}
	o.Remaining = max(0, o.Remaining)
	switch n = max(n, 1); {
	case n > l.Burst:
		o.Wait = Never
	case debt > l.room(n):
		o.Wait = ceil(debt-l.room(n), l.Num)
	}
	return o
}

// ceil is a/b rounded up, of a ≥ 0. Most rates have a Num of 1.
func ceil(a, b int64) int64 {
	if b == 1 {
		return a
	}
	return (a + b - 1) / b
}

// Passed is a TAT that says nothing at now.
func (l *Limit) Passed(now int64) TAT { return l.tat(now, 0) }

// IsFresh reports whether the TAT says nothing at now.
func (l *Limit) IsFresh(t TAT, now int64) bool { return l.debt(t, now) == 0 }

// Expand is the state that the TAT of a take at last stands for.
func (l *Limit) Expand(t TAT, last int64) State {
	debt := l.debt(t, last)
	return bucket{last: last, whole: debt / l.Den, frac: debt % l.Den, num: l.Num, den: l.Den}.state()
}

// Contract is the inverse of Expand. ok is false for a state that is not of this
// rate, or holds more than a full bucket: it has no form under this limit.
func (l *Limit) Contract(s State) (t TAT, last int64, ok bool) {
	if l.id == 0 || s.layout != bucketLayout {
		return 0, 0, false
	}
	b := s.bucket()
	if b.num != l.Num || b.den != l.Den || !b.holds(l.Burst, 0) {
		return 0, 0, false
	}
	return l.tat(b.last, b.whole*b.den+b.frac), b.last, true
}

// Used is what the TAT has used at now: requests, rounded up, and of the capacity,
// in parts of 2^16.
func (l *Limit) Used(t TAT, now int64) (requests, share int64) {
	full := l.Burst * l.Den
	debt := min(l.debt(t, now), full)
	return ceil(debt, l.Den), mulDivFloor(debt, 1<<16, full, 1<<16)
}

// PassesAt is the instant in µs, rounded down, at which the TAT has passed; now if
// it has.
func (l *Limit) PassesAt(t TAT, now int64) int64 { return now + l.debt(t, now)/l.Num }

// PassingAt is the TAT that passes at an instant in µs, or holds most requests at
// now if that is less.
func (l *Limit) PassingAt(at, now, most int64) TAT {
	debt := most * l.Den
	if d := at - now; d < debt/l.Num {
		debt = max(0, d) * l.Num
	}
	return l.tat(now, debt)
}
