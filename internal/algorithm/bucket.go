package algorithm

import "math/bits"

// The state that token bucket and GCRA share: a level that leaks at L/W and may
// rise to B. A token bucket holds B − level tokens; GCRA's theoretical arrival
// time is now + level·W/L. The level is kept in requests, whole plus frac/den,
// never in time: a state in time units that is moved from 1/s to 10/s would
// block for ten times too long.
type bucket struct {
	last     int64 // the instant of the level, µs
	whole    int64 // requests
	frac     int64 // 1/den requests, 0 ≤ frac < den
	num, den int64 // the rate that the level was last moved under
}

func (s State) bucket() bucket { return bucket{s.stamp, s.a, s.b, s.c, s.d} }

// Filled is the state of a bucket whose level at an instant is whole + frac/Den
// requests.
func (l *Limit) Filled(at, whole, frac int64) State {
	return bucket{at, whole, frac, l.Num, l.Den}.state()
}

func (b bucket) state() State {
	return State{layout: bucketLayout, stamp: b.last, a: b.whole, b: b.frac, c: b.num, d: b.den}
}

// bucketAt is the level at now under l, and the state that a refusal leaves: s,
// unless that belonged to another rate or lay far in the future.
//
// Seen from before its stamp, a level is higher by what leaks in between, and
// may exceed the capacity: the instant at which it will be down again stays.
// Such a state is left as it is. Cutting it to the capacity, and writing that on
// a refusal, would hand out the step's worth of requests at each turn of two
// clocks that alternate. Only a state that is more than a full drain ahead
// becomes a full one at now, so that no key waits for a clock that is gone.
func (l *Limit) bucketAt(s State, now int64) (b bucket, refused State) {
	if s.stamp == now && s.layout == bucketLayout && s.c == l.Num && s.d == l.Den && s.a < l.Burst {
		return s.bucket(), s // as a take at this instant left it
	}
	fresh := bucket{last: now, num: l.Num, den: l.Den}
	if s.layout != bucketLayout {
		return fresh, s
	}
	b = s.bucket()
	changed := b.num != l.Num || b.den != l.Den
	if changed {
		// What had drained under its own rate is not owed again under a slower
		// one: whether its key had been forgotten by then would decide.
		if b.last+b.drain(0) <= now {
			return fresh, s
		}
		b = b.underRate(l.Num, l.Den)
	}
	b = b.clamp(l.Burst)
	switch {
	case now >= b.last:
		b = b.leak(now - b.last).at(now)
	case b.leaksWithin(b.last-now, l.Burst):
		if changed {
			s = b.state()
		}
		return b.grow(b.last - now).at(now), s
	default:
		b = bucket{last: now, whole: l.Burst, num: l.Num, den: l.Den}
		changed = true
	}
	if changed {
		s = b.state()
	}
	return b, s
}

func (b bucket) at(now int64) bucket {
	b.last = now
	return b
}

// underRate keeps the level in requests; its fraction is rounded up, to the
// disadvantage of the caller by less than 1/den of a request.
func (b bucket) underRate(num, den int64) bucket {
	if b.den != den {
		b.frac = mulAddDivCeil(b.frac, den, 0, b.den)
		if b.frac == den {
			b.whole, b.frac = b.whole+1, 0
		}
	}
	b.num, b.den = num, den
	return b
}

func (b bucket) clamp(burst int64) bucket {
	if b.whole >= burst {
		b.whole, b.frac = burst, 0
	}
	return b
}

// flow is what leaks in d µs, as whole requests and a fraction of den. fits is
// false when it is more than any level.
func (b bucket) flow(d int64) (whole, frac int64, fits bool) {
	hi, lo := bits.Mul64(uint64(d), uint64(b.num))
	if hi >= uint64(b.den) {
		return 0, 0, false
	}
	q, r := bits.Div64(hi, lo, uint64(b.den))
	if q > uint64(2*MaxBurst) {
		return 0, 0, false
	}
	return int64(q), int64(r), true
}

func (b bucket) leak(d int64) bucket {
	whole, frac, fits := b.flow(d)
	if !fits {
		b.whole, b.frac = 0, 0
		return b
	}
	b.whole, b.frac = b.minus(whole, frac)
	return b
}

// minus is the level less whole + frac/den, at least 0.
func (b bucket) minus(whole, frac int64) (int64, int64) {
	w, f := b.whole-whole, b.frac-frac
	if f < 0 {
		w, f = w-1, f+b.den
	}
	if w < 0 {
		return 0, 0
	}
	return w, f
}

// leaksWithin reports whether no more than n requests leak in d µs.
func (b bucket) leaksWithin(d, n int64) bool {
	whole, frac, fits := b.flow(d)
	return fits && (whole < n || whole == n && frac == 0)
}

// grow is the level d µs earlier; what leaks in d is known to fit.
func (b bucket) grow(d int64) bucket {
	whole, frac, _ := b.flow(d)
	b.whole, b.frac = b.whole+whole, b.frac+frac
	if b.frac >= b.den {
		b.whole, b.frac = b.whole+1, b.frac-b.den
	}
	return b
}

// holds reports whether a cost of n ≤ burst fits on top of the level.
func (b bucket) holds(burst, n int64) bool {
	return b.whole < burst-n || b.whole == burst-n && b.frac == 0
}

// room is how many requests fit on top of the level.
func (b bucket) room(burst int64) int64 {
	if b.frac > 0 {
		burst--
	}
	return max(0, burst-b.whole)
}

// drain is the time in µs, rounded up, until the level is down to floor.
func (b bucket) drain(floor int64) int64 {
	return mulAddDivCeil(b.whole-floor, b.den, b.frac, b.num)
}

func (l *Limit) takeBucket(s State, now, n int64) (State, bool) {
	b, refused := l.bucketAt(s, now)
	if n <= l.Burst && b.holds(l.Burst, n) {
		b.whole += n
		return b.state(), true
	}
	return refused, false
}

func (l *Limit) readBucket(s State, now, n int64) Outcome {
	b, _ := l.bucketAt(s, now)
	o := Outcome{Remaining: b.room(l.Burst), Reset: b.drain(0)}
	switch {
	case n > l.Burst:
		o.Wait = Never
	case !b.holds(l.Burst, n):
		o.Wait = b.drain(l.Burst - n)
	}
	return o
}

// refundBucket gives back what of the charge has not leaked away since: n less
// what leaked beyond the level before. If nothing was taken in between this is
// an exact undo; otherwise it can only give less than the take cost, never more
// than is still held. "Level − n" would give too much: what leaked meanwhile
// leaked out of the charge.
func (l *Limit) refundBucket(s State, now int64, c Charge) (State, bool) {
	if c.Whole < 0 || c.Whole > l.Burst-c.Cost || c.Frac < 0 || c.Frac >= l.Den {
		return s, false
	}
	b := s.bucket()
	now = max(now, b.last)
	if left := b.leak(now - b.last); left.whole == 0 && left.frac == 0 {
		return s, false
	}
	// The rate may have changed since the charge: what leaked since is the more
	// of the two, and the level before is rounded down, so that neither gives
	// back too much.
	held := bucket{whole: c.Whole + c.Cost, frac: c.Frac, num: l.Num, den: l.Den}
	since := max(0, now-c.At)
	held = held.leak(since)
	if b.num != l.Num || b.den != l.Den {
		other := bucket{whole: c.Whole + c.Cost, frac: mulDivFloor(c.Frac, b.den, l.Den, b.den), num: b.num, den: b.den}.leak(since)
		held.frac = mulDivFloor(held.frac, b.den, l.Den, b.den)
		if other.whole < held.whole || other.whole == held.whole && other.frac < held.frac {
			held = other
		}
	}
	held.num, held.den = b.num, b.den
	whole, frac := min(c.Cost, held.whole), held.frac
	if whole == c.Cost {
		frac = 0
	}
	if whole == 0 && frac == 0 {
		return s, false
	}
	// The instant of the level stays: what a lowered burst or another rate makes
	// of the time since is for the next take to say.
	b.whole, b.frac = b.minus(whole, frac)
	return b.state(), true
}
