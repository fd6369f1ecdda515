package weir_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A cost above the capacity is limited with everything left, and a wait is named
// after which it is limited again; a burst derived from a small limit is 0.
func TestB55AboveTheCapacity(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(10), with(a))
		r := c.refuses(11, weir.Never)
		if r.Reason != weir.ExceedsCapacity || r.Remaining != 10 || c.store.Len() != 0 {
			t.Errorf("11 of 10: %+v, and %d keys", r, c.store.Len())
		}
		c.admits(10)

		c = newCaller(t, weir.PerMinute(10), with(a))
		c.admits(1)
		r = c.take(10)
		if r.Allowed || r.Reason != weir.OverLimit || r.RetryAfter == weir.Never {
			t.Errorf("10 with 9 left: %+v", r)
		}
		c.at(r.RetryAfter).admits(10)

		c = newCaller(t, weir.PerDay(5), with(a))
		if got := c.passes(6); got != 5 {
			t.Errorf("%d of 5 a day pass at once", got)
		}
	})
}

// A refused call of weight drains the bucket; a heavy and then a light cost get
// round the limit.
func TestB56RefusedWeightIsFree(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.Per(10, 10*time.Second), with(a))
		c.admits(8)
		reset := c.peek(1).ResetAfter
		for _, n := range []int64{5, 1_000_000, math.MaxInt64} {
			if r := c.take(n); r.Allowed || r.Remaining != 2 || r.ResetAfter != reset {
				t.Errorf("%d with 2 left: %+v", n, r)
			}
		}
		if r := c.admits(2); r.Remaining != 0 {
			t.Errorf("%d remain", r.Remaining)
		}

		c = newCaller(t, weir.Per(10, 10*time.Second), with(a))
		for _, n := range []int64{5, 1, 1, 1, 1, 1} {
			c.admits(n)
		}
		c.refuses(1, c.peek(1).RetryAfter)
	})
}

// In no window of a log is more admitted than the limit, whatever the costs.
func TestB56LogOfMixedCosts(t *testing.T) {
	c := newCaller(t, weir.Per(10, 10*time.Second), with(weir.SlidingLog))
	type admission struct {
		at   time.Duration
		cost int64
	}
	var admitted []admission
	for i := range 400 {
		at := time.Duration(i) * 370 * time.Millisecond
		n := int64(1 + i*7%6)
		if !c.at(at).take(n).Allowed {
			continue
		}
		admitted = append(admitted, admission{at, n})
		sum := int64(0)
		for _, a := range admitted {
			if a.at > at-10*time.Second {
				sum += a.cost
			}
		}
		if sum > 10 {
			t.Fatalf("%d admitted in the ten seconds before %s", sum, at)
		}
	}
}

// A cost of 0 counted as 1, a negative one that lifts the balance. (A fraction
// or 2^63 cannot be said here.)
func TestB57NothingAndLess(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(10), with(a))
		zero := func(remaining int64, onePasses bool) {
			t.Helper()
			r := c.take(0)
			if !r.Allowed || r.Charged || r.Remaining != remaining || (r.NextAfter == 0) != onePasses {
				t.Errorf("0 with %d left: %+v", remaining, r)
			}
		}
		zero(10, true)
		if c.store.Len() != 0 {
			t.Error("a take of 0 made a key")
		}
		c.admits(3)
		reset := c.peek(1).ResetAfter
		zero(7, true)
		if got := c.peek(1).ResetAfter; got != reset {
			t.Errorf("a take of 0 moved the reset from %s to %s", reset, got)
		}
		c.admits(7)
		zero(0, false)
		for _, n := range []int64{-1, -5, math.MinInt64} {
			if _, err := c.limiter.AllowN(context.Background(), who, n); !errors.Is(err, weir.ErrNegativeCost) {
				t.Errorf("%d: %v", n, err)
			}
			if _, err := c.limiter.Peek(context.Background(), who, n); !errors.Is(err, weir.ErrNegativeCost) {
				t.Errorf("peek of %d: %v", n, err)
			}
		}
		c.remains(0)
	})
}
