package storetest

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func testOneCheck(t *testing.T, newStore NewStore) {
	for _, p := range []struct {
		name string
		test func(*trial, weir.Algorithm)
	}{
		{"counts down to a refusal", testCountsDown},
		{"cost above the capacity", testAboveCapacity},
		{"cost 0", testCostZero},
		{"negative cost", testNegativeCost},
		{"duplicate key", testDuplicateKey},
		{"blocked", testBlocked},
		{"a refusal costs nothing", testRefusalIsFree},
		{"empty request", testEmptyRequest},
	} {
		t.Run(p.name, func(t *testing.T) { eachAlgorithm(t, newStore, p.test) })
	}
	t.Run("count all", func(t *testing.T) { testCountAll(newTrial(t, newStore)) })
}

// waitOfFull is how long a key waits that spent 10 of 10/min at 12 s past the
// minute.
var waitOfFull = map[weir.Algorithm]time.Duration{
	weir.GCRA:           6 * time.Second,
	weir.TokenBucket:    6 * time.Second,
	weir.FixedWindow:    48 * time.Second,
	weir.SlidingLog:     60 * time.Second,
	weir.SlidingCounter: 54 * time.Second, // 48 s to the next minute, 6 s until 1 of 10 has left
}

// Ten of ten pass, each answer says what is left after it, and the eleventh is
// told exactly how long to wait.
func testCountsDown(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	tr.at(12 * time.Second)
	for left := int64(9); left >= 0; left-- {
		r := tr.take(key, limit, 1)
		if !r.Allowed || !r.Charged || r.Reason != weir.NoReason || r.RetryAfter != 0 || r.Remaining != left {
			tr.Errorf("with %d left after it a take answers %+v", left, r)
		}
		if r.Limit != 10 || r.At != tr.now.Load() || r.ResetAfter <= 0 {
			tr.Errorf("limit %d, reset after %s, at %d (now %d)", r.Limit, r.ResetAfter, r.At, tr.now.Load())
		}
	}
	r := tr.take(key, limit, 1)
	if r.Allowed || r.Charged || r.Reason != weir.OverLimit || r.Remaining != 0 {
		tr.Errorf("the eleventh take answers %+v", r)
	}
	if r.RetryAfter != waitOfFull[a] || r.NextAfter != r.RetryAfter {
		tr.Errorf("retry after %s, next after %s, want %s", r.RetryAfter, r.NextAfter, waitOfFull[a])
	}
}

// What no wait can admit says so, whatever is left, and leaves the key as it was.
func testAboveCapacity(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	for _, n := range []int64{11, 1 << 33, math.MaxInt64} {
		r := tr.take(key, limit, n)
		if r.Allowed || r.Reason != weir.ExceedsCapacity || r.RetryAfter != weir.Never || r.Remaining != 10 {
			tr.Errorf("%d of 10: %+v", n, r)
		}
	}
	tr.holdsKeys(0, "after refusals of new keys")
	if r := tr.take(key, limit, 10); !r.Allowed || r.Remaining != 0 {
		tr.Errorf("10 of 10 afterwards: %+v", r)
	}
	if r := tr.take(key, limit, 11); r.Reason != weir.ExceedsCapacity || r.RetryAfter != weir.Never {
		tr.Errorf("11 of a key used up: %+v", r)
	}
	if r := tr.take(key, limit, 10); r.Reason != weir.OverLimit || r.RetryAfter == weir.Never || r.RetryAfter <= 0 {
		tr.Errorf("10 of a key used up: %+v", r)
	}
}

// A cost of 0 is allowed, writes nothing, and tells whether 1 would pass.
func testCostZero(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	tr.at(12 * time.Second)
	for _, used := range []int64{0, 3, 10} {
		if r := tr.take(key, limit, used-(10-tr.remaining(key, limit))); !r.Allowed {
			tr.Fatalf("set-up: %+v", r)
		}
		r := tr.take(key, limit, 0)
		if !r.Allowed || r.Charged || r.RetryAfter != 0 || r.Remaining != 10-used {
			tr.Errorf("0 with %d used: %+v", used, r)
		}
		if passes := r.NextAfter == 0; passes != (used < 10) {
			tr.Errorf("0 with %d used: the next 1 passes after %s", used, r.NextAfter)
		}
		if used == 0 {
			tr.holdsKeys(0, "after a take of 0 of a new key")
		}
	}
}

// A negative cost is an error of the whole request: nothing is decided.
func testNegativeCost(tr *trial, a weir.Algorithm) {
	limit := perMinute(tr, 10, a)
	for _, costs := range [][]int64{{-1}, {math.MinInt64}, {1, -1}, {-1, 1}} {
		var checks []weir.Check
		for i, n := range costs {
			checks = append(checks, weir.Check{Key: identity(string(rune('a' + i))), Limit: limit, Cost: n})
		}
		err := tr.store.Take(context.Background(), checks, make([]weir.Result, len(checks)))
		if !errors.Is(err, weir.ErrNegativeCost) {
			tr.Errorf("costs %v: error %v", costs, err)
		}
	}
	tr.wants(identity("a"), limit, 10, "after negative costs")
	tr.wants(identity("b"), limit, 10, "after negative costs")
}

// A key named twice is an error of the whole request, unless every check that
// names it is independent.
func testDuplicateKey(tr *trial, a weir.Algorithm) {
	limit := perMinute(tr, 10, a)
	arriving, admitted := &weir.Group{}, &weir.Group{Charge: weir.Admitted}
	independent := &weir.Group{Charge: weir.Independent}
	for name, groups := range map[string][2]*weir.Group{
		"no groups": {}, "one group": {arriving, arriving}, "two groups": {arriving, admitted},
		"one of them independent": {independent, admitted}, "the other independent": {nil, independent},
	} {
		checks := []weir.Check{
			{Key: identity("a"), Limit: limit, Cost: 1, Group: groups[0]},
			{Key: identity("b"), Limit: limit, Cost: 1, Group: groups[1]},
			{Key: identity("a"), Limit: limit, Cost: 1, Group: groups[1]},
		}
		if err := tr.store.Take(context.Background(), checks, make([]weir.Result, 3)); !errors.Is(err, weir.ErrDuplicateKey) {
			tr.Errorf("%s: error %v", name, err)
		}
	}
	// A key holds one state: under two algorithms at once it would be read as one
	// and written as another.
	for _, b := range weir.Algorithms() {
		checks := []weir.Check{
			{Key: identity("a"), Limit: limit, Cost: 0, Group: independent},
			{Key: identity("a"), Limit: perMinute(tr, 10, b), Cost: 0, Group: independent},
		}
		shared := a == b || a.HasBurst() && b.HasBurst()
		err := tr.store.Take(context.Background(), checks, make([]weir.Result, 2))
		if shared && err != nil || !shared && !errors.Is(err, weir.ErrDuplicateKey) {
			tr.Errorf("%s and %s: error %v", a, b, err)
		}
	}
	tr.wants(identity("a"), limit, 10, "after keys named twice")
	tr.wants(identity("b"), limit, 10, "after keys named twice")
}

// A limit of 0 refuses everything but a cost of 0, for ever, and makes no key.
func testBlocked(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 0, a), identity("a")
	for _, n := range []int64{1, 5, math.MaxInt64} {
		r := tr.take(key, limit, n)
		if r.Allowed || r.Reason != weir.LimitBlocked || r.RetryAfter != weir.Never || r.Remaining != 0 || r.Limit != 0 {
			tr.Errorf("%d of a blocked limit: %+v", n, r)
		}
		tr.pass(time.Hour)
	}
	if r := tr.take(key, limit, 0); !r.Allowed || r.Charged {
		tr.Errorf("0 of a blocked limit: %+v", r)
	}
	tr.holdsKeys(0, "after refusals by a blocked limit")
}

// What is refused takes nothing: a lighter call passes after a heavy one was
// refused, and the wait of the heavy one does not grow with each try.
func testRefusalIsFree(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	tr.take(key, limit, 8)
	first := tr.take(key, limit, 5)
	for range 50 {
		if r := tr.take(key, limit, 5); r.Allowed || r.RetryAfter != first.RetryAfter || r.Remaining != 2 {
			tr.Fatalf("5 with 2 left: %+v after %+v", r, first)
		}
	}
	if r := tr.take(key, limit, 2); !r.Allowed || r.Remaining != 0 {
		tr.Errorf("2 with 2 left: %+v", r)
	}
}

// A request of no checks is no error.
func testEmptyRequest(tr *trial, _ weir.Algorithm) {
	if d := tr.decide(); !d.Allowed {
		tr.Errorf("%+v", d)
	}
}

// A fixed window that counts all counts what it refuses too, beyond its limit,
// also what is above its capacity; a peek it does not.
func testCountAll(tr *trial) {
	key := identity("a")
	options := []weir.LimitOption{weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll()}
	five, twenty := limitOf(tr, weir.PerMinute(5), options...), limitOf(tr, weir.PerMinute(20), options...)
	for i := range 7 {
		if r := tr.take(key, five, 1); r.Allowed != (i < 5) || r.Charged != (i < 5) || r.Remaining != max(0, int64(4-i)) {
			tr.Errorf("take %d: %+v", i+1, r)
		}
	}
	tr.wants(key, twenty, 13, "after 7 takes, 2 of them refused,")
	tr.take(key, five, 6)
	tr.wants(key, twenty, 7, "after 6 more that were above the capacity")
	tr.peek(key, five, 6)
	tr.wants(key, twenty, 7, "after a peek")
	for limit, overrun := range map[int64]bool{12: true, 13: false} {
		if r := tr.take(key, limitOf(tr, weir.PerMinute(limit), options...), 0); !r.Allowed || r.Remaining != 0 || r.Overrun != overrun {
			tr.Errorf("a cost of 0 where 13 are counted under %d: %+v", limit, r)
		}
	}
	tr.pass(time.Minute)
	tr.wants(key, five, 5, "in the next window")
}
