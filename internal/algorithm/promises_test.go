package algorithm_test

// What the design promises of every limit, always; one test a line. Each holds
// for keys at the end of random histories, by the code's own word.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// promise is broken at a key when it says how. The key is at w.now under w.limit
// and has just been taken from, so that it is not in the future any more.
type promise func(w *walk) (broken string)

func TestPromises(t *testing.T) {
	for name, holds := range map[string]promise{
		"remaining is from 0 to the capacity":               remainingIsInRange,
		"what remains passes at once, and not one more":     remainingPasses,
		"a refusal changes nothing":                         refusalChangesNothing,
		"who waits and comes alone passes, and no sooner":   waitIsExact,
		"a reset key is as good as new, and no sooner":      resetIsExact,
		"reading changes nothing":                           readingChangesNothing,
		"a cost of zero passes and changes nothing":         zeroIsNothing,
		"more than the capacity never passes":               aboveCapacityNever,
		"a blocked key admits nothing and remembers":        blockedAdmitsNothing,
		"forgetting an expired key changes no decision":     forgettingChangesNothing,
		"a refund right after the take undoes it":           refundUndoes,
		"a refund gives at most what was charged":           refundIsBounded,
		"a refund never makes room beyond the capacity":     refundStaysInRange,
		"a change of limit never makes remaining negative":  changeStaysInRange,
		"raising the count or burst keeps what was used":    raiseKeepsUse,
		"the key is kept for no longer than reset":          expiresAtReset,
		"no key waits longer than a full drain or windows":  waitIsBounded,
		"a step back forgives nothing":                      stepBackForgivesNothing,
		"a charge that no take can have made gives nothing": forgedChargesGiveNothing,
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range vectors.Kinds() {
				for n := range *walks {
					w := newWalk(t, kind, generator{rand.New(rand.NewPCG(*seed, uint64(n)))}, nil)
					w.models = nil // the code's word alone
					w.run(int(w.choose(30)))
					for w.limit.Count == 0 {
						w.under(randomLimit(w, kind))
					}
					w.take(max(1, w.cost()))
					if broken := holds(w); broken != "" {
						t.Logf("-seed %d", *seed)
						w.fail("%s", broken)
					}
				}
			}
		})
	}
}

// try takes from a copy of the key.
func (w *walk) try(now, n int64) (*key, bool) {
	k := w.key.clone()
	_, admitted := k.take(&w.limit, now, n)
	return k, admitted
}

func (w *walk) read(n int64) algorithm.Outcome { return w.key.read(&w.limit, w.now, n) }

func remainingIsInRange(w *walk) string {
	if r := w.read(1).Remaining; r < 0 || r > capacity(&w.limit) {
		return fmt.Sprintf("remaining %d of %d", r, capacity(&w.limit))
	} else if alone := w.limit.Remaining(w.key.state, w.now); w.kind != algorithm.SlidingLog && alone != r {
		return fmt.Sprintf("remaining %d, and %d alone", r, alone)
	}
	return ""
}

func remainingPasses(w *walk) string {
	r := w.read(1).Remaining
	if _, admitted := w.try(w.now, r); !admitted {
		return fmt.Sprintf("the remaining %d are refused", r)
	}
	if _, admitted := w.try(w.now, r+1); admitted {
		return fmt.Sprintf("%d is admitted where %d remain", r+1, r)
	}
	return ""
}

func refusalChangesNothing(w *walk) string {
	if w.limit.CountAll {
		return ""
	}
	now := w.now + pick(w, 0, 1, w.choose(w.limit.Period))
	n := w.key.read(&w.limit, now, 1).Remaining + 1
	w.take(1) // under this limit and at this instant for sure, if it is admitted
	w.take(n) // refused, and so rewritten, if it is not
	before := w.key.clone()
	for _, cost := range []int64{capacity(&w.limit), capacity(&w.limit) + 1, math.MaxInt64, n} {
		if after, admitted := w.try(max(now, w.now), cost); !admitted && !after.same(before) {
			return fmt.Sprintf("a refused %d left %+v %+v", cost, after.state, *after.log)
		}
	}
	return ""
}

func waitIsExact(w *walk) string {
	n := 1 + w.choose(capacity(&w.limit))
	k := w.key.clone()
	if _, admitted := k.take(&w.limit, w.now, n); admitted && w.oneIn(2) {
		return "" // waits 0
	}
	wait := k.read(&w.limit, w.now, n).Wait
	if wait < 0 || wait == algorithm.Never {
		return fmt.Sprintf("a wait of %d for %d", wait, n)
	}
	if _, admitted := k.clone().take(&w.limit, w.now+wait, n); !admitted {
		return fmt.Sprintf("%d is refused after its wait of %d", n, wait)
	}
	if wait == 0 {
		return ""
	}
	if _, admitted := k.clone().take(&w.limit, w.now+wait-1, n); admitted {
		return fmt.Sprintf("%d is admitted before its wait of %d", n, wait)
	}
	return ""
}

func resetIsExact(w *walk) string {
	o, most := w.read(1), capacity(&w.limit)
	if _, admitted := w.try(w.now+o.Reset, most); !admitted {
		return fmt.Sprintf("not as new after %d", o.Reset)
	}
	if w.kind == algorithm.FixedWindow || o.Reset == 0 {
		return "" // a window's end resets it even when nothing was used
	}
	if r := w.key.read(&w.limit, w.now+o.Reset-1, 1).Remaining; r == most {
		return fmt.Sprintf("as new before %d", o.Reset)
	}
	return ""
}

func readingChangesNothing(w *walk) string {
	before := w.key.clone()
	for _, n := range []int64{0, 1, w.cost(), math.MaxInt64} {
		for _, now := range []int64{w.now, w.now + w.choose(algorithm.MaxPeriod), max(0, w.now-w.choose(algorithm.MaxPeriod))} {
			w.key.read(&w.limit, now, n)
		}
	}
	if !w.key.same(before) {
		return "reading changed the key"
	}
	return ""
}

func zeroIsNothing(w *walk) string {
	for _, now := range []int64{w.now, w.now + w.choose(algorithm.MaxPeriod), max(0, w.now-w.choose(algorithm.MaxPeriod))} {
		if after, admitted := w.try(now, 0); !admitted || !after.same(w.key) {
			return "0 was refused or changed the key"
		}
		if zero, one := w.key.read(&w.limit, now, 0), w.key.read(&w.limit, now, 1); zero != one {
			return fmt.Sprintf("0 is told %+v and 1 %+v", zero, one)
		}
	}
	return ""
}

func aboveCapacityNever(w *walk) string {
	for _, n := range []int64{capacity(&w.limit) + 1, capacity(&w.limit) + w.choose(1000) + 1, math.MaxInt64} {
		for _, now := range []int64{w.now, w.now + w.choose(algorithm.MaxPeriod), w.now + 1<<52} {
			if _, admitted := w.try(now, n); admitted {
				return fmt.Sprintf("%d was admitted", n)
			}
			if wait := w.key.read(&w.limit, now, n).Wait; wait != algorithm.Never {
				return fmt.Sprintf("a wait of %d for %d", wait, n)
			}
		}
	}
	return ""
}

func blockedAdmitsNothing(w *walk) string {
	blocked, err := algorithm.Compile(w.kind, 0, w.limit.Period, 0)
	if err != nil {
		return err.Error()
	}
	for _, l := range []algorithm.Limit{blocked, {Kind: w.kind}} { // the zero limit is blocked too
		k := w.key.clone()
		if _, admitted := k.take(&l, w.now, 1); admitted || !k.same(w.key) {
			return "admitted or changed"
		}
		if _, admitted := k.take(&l, w.now, 0); !admitted {
			return "0 was refused"
		}
		if o := k.read(&l, w.now, 1); o != (algorithm.Outcome{Wait: algorithm.Never}) {
			return fmt.Sprintf("%+v", o)
		}
		if charge := (algorithm.Charge{Cost: 1, At: w.now}); w.kind != algorithm.SlidingLog && k.refund(&l, w.now, charge) {
			return "a blocked limit refunds"
		}
	}
	return ""
}

func forgettingChangesNothing(w *walk) string {
	w.now = max(w.now, w.key.expires()+pick(w, 0, 0, 1, w.choose(algorithm.MaxPeriod)))
	kept, forgotten := w.key, newKey(w.kind)
	for range 10 {
		if w.oneIn(3) {
			w.change()
		}
		w.last = kept.read(&w.limit, w.now, 1)
		n := w.cost()
		if a, b := kept.read(&w.limit, w.now, n), forgotten.read(&w.limit, w.now, n); a != b {
			return fmt.Sprintf("%+v is told %+v, forgotten %+v", *kept, a, b)
		}
		_, a := kept.take(&w.limit, w.now, n)
		_, b := forgotten.take(&w.limit, w.now, n)
		if a != b {
			return fmt.Sprintf("admitted %v, forgotten %v", a, b)
		}
		w.now += w.choose(1 + w.limit.Period/max(1, w.limit.Count))
	}
	return ""
}

// refundUndoes compares with a key from which the take was never made, at once
// and some time later. An undone log and window are the same to the bit.
func refundUndoes(w *walk) string {
	k := w.key.clone()
	n := 1 + w.choose(max(1, w.read(1).Remaining))
	charge, admitted := k.take(&w.limit, w.now, n)
	if !admitted {
		return ""
	}
	gap := pick(w, 0, 0, 1, w.choose(w.limit.Period))
	k.refund(&w.limit, w.now+gap, charge)
	for _, later := range []int64{gap, gap + 1, gap + w.choose(w.limit.Period)} {
		for _, cost := range []int64{1, capacity(&w.limit)} {
			got, want := k.read(&w.limit, w.now+later, cost), w.key.read(&w.limit, w.now+later, cost)
			if got != want {
				return fmt.Sprintf("%d after a refund of %d at %d: %+v, without the take %+v", later, n, gap, got, want)
			}
		}
	}
	return ""
}

func refundIsBounded(w *walk) string {
	for _, taken := range w.taken {
		k := w.key.clone()
		before := k.read(&w.limit, w.now, 1).Remaining
		k.refund(&taken.limit, w.now, taken.charge)
		if gave := k.read(&w.limit, w.now, 1).Remaining - before; gave < 0 || gave > taken.charge.Cost {
			return fmt.Sprintf("%d more remain after a refund of %+v", gave, taken.charge)
		}
	}
	return ""
}

func refundStaysInRange(w *walk) string {
	for len(w.taken) > 0 {
		w.refund()
		if w.oneIn(4) {
			w.refund()
		}
		if broken := remainingIsInRange(w); broken != "" {
			return broken
		}
		if broken := remainingPasses(w); broken != "" {
			return broken
		}
	}
	return ""
}

func changeStaysInRange(w *walk) string {
	for range 5 {
		w.change()
		for w.limit.Count == 0 {
			w.under(randomLimit(w, w.kind))
		}
		if broken := remainingIsInRange(w); broken != "" {
			return broken
		}
		if broken := remainingPasses(w); broken != "" {
			return broken
		}
	}
	return ""
}

// raiseKeepsUse raises the capacity alone, the rate staying what it was where it
// is part of the state. Where a burst was lowered before, raising it brings back
// what the lower one hid.
func raiseKeepsUse(w *walk) string {
	if len(w.past) > 1 {
		return ""
	}
	count, burst := w.limit.Count, int64(0)
	room := 1 + w.choose(10)
	if w.kind == algorithm.TokenBucket || w.kind == algorithm.GCRA {
		burst = w.limit.Burst + room
	} else {
		count += room
	}
	raised, err := algorithm.Compile(w.kind, count, w.limit.Period, burst)
	if err != nil {
		return ""
	}
	before := w.read(1).Remaining
	after := w.key.read(&raised, w.now, 1).Remaining
	if after > before+room {
		return fmt.Sprintf("remaining %d, and %d after raising it by %d", before, after, room)
	}
	if before > 0 && after != before+room {
		return fmt.Sprintf("remaining %d, and only %d after raising it by %d", before, after, room)
	}
	return ""
}

func expiresAtReset(w *walk) string {
	o := w.read(1)
	if w.kind == algorithm.FixedWindow && o.Remaining == w.limit.Count || len(w.past) > 1 {
		return "" // a lowered burst is written by the next take that is admitted
	}
	if expires := w.key.expires(); o.Reset > 0 && expires > w.now+o.Reset+w.limit.Period {
		return fmt.Sprintf("kept %d past its reset", expires-w.now-o.Reset)
	}
	if expires := w.key.expires(); expires < w.now+o.Reset && o.Remaining < capacity(&w.limit) {
		return fmt.Sprintf("forgotten %d before its reset", w.now+o.Reset-expires)
	}
	return ""
}

// waitIsBounded is the failover of the design: whatever the step back, one call
// is enough, and then a key waits no longer than its windows. A bucket's instants
// stay, unless they are a full drain ahead.
func waitIsBounded(w *walk) string {
	w.now = max(0, w.now-pick(w, 36000_000_000, w.choose(2*w.limit.Period), w.choose(algorithm.MaxPeriod)))
	w.take(1 + w.choose(capacity(&w.limit)))
	bound := w.limit.Period
	switch w.kind {
	case algorithm.SlidingCounter:
		bound *= 2
	case algorithm.TokenBucket, algorithm.GCRA:
		full := newKey(w.kind)
		full.take(&w.limit, w.now, w.limit.Burst)
		bound = 2 * full.read(&w.limit, w.now, 1).Reset
	}
	for _, n := range []int64{1, capacity(&w.limit)} {
		if wait := w.read(n).Wait; wait > bound {
			return fmt.Sprintf("a wait of %d, and a full drain is %d", wait, bound)
		}
	}
	return ""
}

// stepBackForgivesNothing: at the instant it steps back to, a key has no more
// room than it had. A log is left out, for which an instant before an entry was
// made is another question, and so is a sliding counter: the window before comes
// along to the one stepped back to, and weighs there what it weighs at its middle.
func stepBackForgivesNothing(w *walk) string {
	before := w.read(1).Remaining
	then := max(0, w.now-pick(w, 1, 36000_000_000, w.choose(2*w.limit.Period), w.choose(algorithm.MaxPeriod)))
	if w.kind == algorithm.SlidingLog || w.kind == algorithm.SlidingCounter {
		return ""
	}
	if after := w.key.read(&w.limit, then, 1).Remaining; after > before {
		return fmt.Sprintf("remaining %d, and %d after a step back", before, after)
	}
	return ""
}

func forgedChargesGiveNothing(w *walk) string {
	if w.kind == algorithm.SlidingLog {
		return ""
	}
	for _, c := range []algorithm.Charge{
		{Cost: 0, At: w.now}, {Cost: -1, At: w.now}, {Cost: w.limit.Burst + 1, At: w.now}, {Cost: math.MaxInt64, At: w.now},
		{Cost: 1, At: w.now, Whole: -1}, {Cost: 1, At: w.now, Frac: -1}, {Cost: 1, At: w.now, Frac: w.limit.Den},
		{Cost: 1, At: w.now, Frac: math.MaxInt64}, {Cost: 1, At: w.now, Whole: math.MaxInt64},
	} {
		if c.Whole == 0 && c.Frac == 0 || w.kind == algorithm.TokenBucket || w.kind == algorithm.GCRA {
			if k := w.key.clone(); k.refund(&w.limit, w.now, c) || !k.same(w.key) {
				return fmt.Sprintf("%+v was given back", c)
			}
		}
	}
	return ""
}

// 6000 per second, one by one: every call is told what is left (B01).
func TestSixThousandOneByOne(t *testing.T) {
	for _, kind := range vectors.Kinds() {
		l, k := compile(t, kind, 6000, second, 0), newKey(kind)
		for left := int64(5999); left >= 0; left-- {
			if _, admitted := k.take(l, vectors.T0, 1); !admitted || k.read(l, vectors.T0, 1).Remaining != left {
				t.Fatalf("%s: %d remain, not %d", vectors.Name(kind), k.read(l, vectors.T0, 1).Remaining, left)
			}
		}
		if _, admitted := k.take(l, vectors.T0, 1); admitted || k.read(l, vectors.T0, 1).Wait == 0 {
			t.Errorf("%s: call 6001 is admitted, or told to wait for nothing", vectors.Name(kind))
		}
	}
}
