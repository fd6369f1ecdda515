// Package algorithm decides: five rate-limiting rules as pure functions on
// plain integers.
//
//	limit, err := algorithm.Compile(algorithm.GCRA, 100, 60_000_000, 20)
//	state, admitted := limit.Take(algorithm.State{}, now, 1)
//	outcome := limit.Read(state, now, 1) // remaining, wait, reset
//
// The sliding log, whose memory follows what it admitted, is the one whose
// state is not a handful of words: see [Log].
//
// Every function here has a twin in Lua that answers the same, bit for bit;
// vectors/NAME.txt holds the vectors that both are run against. There is no
// float in this package: every quotient is exact or says which way it rounds.
//
// # Time
//
// An instant is a count of whole microseconds since the Unix epoch and is
// always an argument. A state whose stamp lies after now (a fail-over to a node
// whose clock is behind) is brought to now, so that no key waits for a clock that
// is gone. A window becomes the current one and keeps its counts, a log's later
// entries become entries of now. A bucket stays as it is, its debt larger by the
// step, so that clocks which alternate gain nothing; if it is more than a full
// drain ahead, it becomes a full one at now.
//
// # Errors
//
// Only [Compile] can fail. A compiled limit decides every int64 cost ≥ 0.
//
// # Concurrency
//
// Values have no hidden state; whoever owns a State or a Log guards it.
package algorithm

import "math"

// Never is the wait of a cost that no amount of waiting will admit: it is above
// the capacity, or the limit is blocked.
const Never int64 = math.MaxInt64

// Outcome describes a key at an instant, for a call of a certain cost.
type Outcome struct {
	// Remaining is the largest cost that would be admitted now: 0 to the
	// limit's capacity.
	Remaining int64
	// Wait is the time in µs after which the cost, coming alone, is admitted:
	// 0 when that is now, otherwise the first whole µs, or Never. A cost of 0
	// is asked as a cost of 1: whether anything at all would pass.
	Wait int64
	// Reset is the time in µs until the key is as good as new.
	Reset int64
	// Overrun says that more is counted in a fixed window than the limit admits.
	Overrun bool
}

// Charge is what one take charged, kept for a refund.
type Charge struct {
	Cost int64 // requests, ≥ 1
	At   int64 // the instant of the take, µs
	// Whole and Frac are the level just before the take, in requests and in
	// fractions of the limit's Den (bucket only).
	Whole, Frac int64
}

// Take decides a call of cost n ≥ 0 at now and returns the state to keep.
//
// A refusal returns the state unchanged, with two exceptions: a limit that
// counts all, and a state that had to be rewritten because it lay in the future
// or belonged to another rate. The latter must be stored as well, for its time
// to live was computed from the old rate and may be too short.
func (l *Limit) Take(s State, now, n int64) (State, bool) {
	admitted := l.TakeIn(&s, now, n)
	return s, admitted
}

// TakeIn is Take in place. A State has more words than the compiler keeps in registers,
// and each copy waits for the words before it to be stored: six of them on the way were a
// fifth of a decision by sliding counter.
func (l *Limit) TakeIn(s *State, now, n int64) (admitted bool) {
	if l.Count == 0 || n == 0 {
		return n == 0
	}
	switch l.Kind {
	case FixedWindow:
		return l.takeWindow(s, now, n)
	case SlidingCounter:
		return l.takeCounter(s, now, n)
	}
	*s, admitted = l.takeBucket(*s, now, n)
	return admitted
}

// Read describes the key at now for a call of cost n ≥ 0. It is what a peek
// answers, and what a take answers when given the state the take left.
func (l *Limit) Read(s State, now, n int64) Outcome {
	if l.Count == 0 {
		return Outcome{Wait: Never}
	}
	n = max(n, 1)
	switch l.Kind {
	case FixedWindow:
		return l.readWindow(&s, now, n)
	case SlidingCounter:
		return l.readCounter(&s, now, n)
	default:
		return l.readBucket(s, now, n)
	}
}

// Remaining is Read's, at a part of its cost: the largest cost that would be
// admitted now.
func (l *Limit) Remaining(s State, now int64) int64 {
	switch {
	case l.Count == 0:
		return 0
	case l.Kind == FixedWindow:
		w, _ := l.windowAt(&s, now)
		return max(0, l.Count-w.count)
	case l.Kind == SlidingCounter:
		c, _ := l.counterAt(&s, now)
		return max(0, l.Count-c.used(now))
	}
	b, _ := l.bucketAt(s, now)
	return b.room(l.Burst)
}

// Charged is the receipt of a take of cost n that was admitted at now and left
// the state s.
func (l *Limit) Charged(s State, now, n int64) Charge {
	c := Charge{Cost: n, At: now}
	if s.layout == bucketLayout {
		b := s.bucket()
		c.Whole, c.Frac = b.whole-n, b.frac
	}
	return c
}

// Refund gives back at now what is left of a charge made under l, and says
// whether it gave anything. It never makes room beyond the capacity and never
// turns an empty state into a key. The key may be under another limit by now; l
// is the one of the take. A charge that no take can have made gives nothing.
func (l *Limit) Refund(s State, now int64, c Charge) (State, bool) {
	if l.Count == 0 || s.layout != l.layout() || c.Cost < 1 || c.Cost > l.Burst {
		return s, false
	}
	switch s.layout {
	case windowLayout:
		return l.refundWindow(s, now, c)
	case counterLayout:
		return l.refundCounter(s, now, c)
	default:
		return l.refundBucket(s, now, c)
	}
}

// Expires is the instant from which the state says nothing any more, 0 for a
// state that never said anything. Forgetting the key from then on changes no
// decision, under whatever limit it is asked next, unless the clock steps back
// to before it.
func (s State) Expires() int64 {
	switch s.layout {
	case windowLayout:
		return s.window().end()
	case counterLayout:
		return s.counter().end()
	case bucketLayout:
		b := s.bucket()
		return b.last + b.drain(0)
	default:
		return 0
	}
}
