package storetest

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func testChangedLimit(t *testing.T, newStore NewStore) {
	t.Run("raised and lowered", func(t *testing.T) { eachAlgorithm(t, newStore, testRaisedAndLowered) })
	t.Run("other period", func(t *testing.T) { eachAlgorithm(t, newStore, testOtherPeriod) })
	t.Run("longer period is kept for longer", func(t *testing.T) { eachAlgorithm(t, newStore, testLongerPeriod) })
	t.Run("blocked and back", func(t *testing.T) { eachAlgorithm(t, newStore, testBlockedAndBack) })
}

// A raised limit has its new room at once; under a lowered one 0 remain, never
// less, and what was used is not forgotten when it is raised again.
func testRaisedAndLowered(tr *trial, a weir.Algorithm) {
	key := identity("a")
	five, ten, twenty := perMinute(tr, 5, a), perMinute(tr, 10, a), perMinute(tr, 20, a)
	tr.take(key, ten, 6)
	tr.wants(key, twenty, 14, "after 6 were taken under 10/min")
	tr.wants(key, five, 0, "after 6 were taken under 10/min")
	r := tr.take(key, five, 1)
	if r.Allowed || r.Limit != 5 || r.RetryAfter <= 0 || r.RetryAfter > 2*time.Minute {
		tr.Errorf("6 used under 10/min, then 1 under 5/min: %+v", r)
	}
	if r := tr.take(key, ten, 4); !r.Allowed {
		tr.Errorf("4 more under 10/min: %+v", r)
	}
	if left := tr.remaining(key, ten); left > 1 || !a.HasBurst() && left != 0 {
		tr.Errorf("%d remain, want 0, or 1 where the level was cut to the lower capacity", left)
	}
}

// A new period starts from the next call with what was used.
func testOtherPeriod(tr *trial, a weir.Algorithm) {
	minute, hour := perMinute(tr, 10, a), limitOf(tr, weir.PerHour(10), weir.WithAlgorithm(a))
	tr.take(identity("longer"), minute, 6)
	tr.wants(identity("longer"), hour, 4, "after 6 were taken under 10/min")
	if r := tr.take(identity("longer"), hour, 4); !r.Allowed || r.Remaining != 0 {
		tr.Errorf("4 more under 10/h: %+v", r)
	}
	tr.take(identity("shorter"), hour, 6)
	tr.wants(identity("shorter"), minute, 4, "after 6 were taken under 10/h")
	if r := tr.take(identity("shorter"), minute, 4); !r.Allowed || r.Remaining != 0 {
		tr.Errorf("4 more under 10/min: %+v", r)
	}
}

// A key that was used up under a short period and refused under a longer one
// stays refused past the short one's end: its lifetime is that of the new.
func testLongerPeriod(tr *trial, a weir.Algorithm) {
	minute, hour := perMinute(tr, 10, a), limitOf(tr, weir.PerHour(10), weir.WithAlgorithm(a))
	key := identity("a")
	tr.take(key, minute, 10)
	if r := tr.take(key, hour, 1); r.Allowed {
		tr.Fatalf("used up under 10/min, but under 10/h: %+v", r)
	}
	tr.pass(125 * time.Second)
	if r := tr.take(key, hour, 1); r.Allowed {
		tr.Errorf("125 s later: %+v", r)
	}
}

// A limit that is blocked for a while forgets nothing.
func testBlockedAndBack(tr *trial, a weir.Algorithm) {
	limit, blocked, key := perMinute(tr, 10, a), perMinute(tr, 0, a), identity("a")
	tr.take(key, limit, 6)
	if r := tr.take(key, blocked, 1); r.Allowed || r.Reason != weir.LimitBlocked {
		tr.Errorf("under a blocked limit: %+v", r)
	}
	tr.wants(key, limit, 4, "after 6 were taken and a call was blocked")
}

// A key whose algorithm is changed is as one never seen, from the first take
// under the new one; until then nothing is lost. Token bucket and GCRA are one.
func testChangedAlgorithm(t *testing.T, newStore NewStore) {
	eachAlgorithm(t, newStore, func(tr *trial, from weir.Algorithm) {
		for _, to := range weir.Algorithms() {
			key, old, next := identity(to.String()), perMinute(tr, 10, from), perMinute(tr, 10, to)
			same := from == to || from.HasBurst() && to.HasBurst()
			left := int64(10)
			if same {
				left = 4
			}
			tr.take(key, old, 6)
			tr.wants(key, next, left, "after 6 were taken under "+from.String())
			if r := tr.take(key, next, 11); r.Allowed || r.Reason != weir.ExceedsCapacity {
				tr.Errorf("11 under %s: %+v", to, r)
			}
			tr.wants(key, old, 4, "after a refusal under "+to.String())
			if r := tr.take(key, next, left); !r.Allowed || r.Remaining != 0 {
				tr.Errorf("%d under %s after 6 under %s: %+v", left, to, from, r)
			}
			if r := tr.take(key, next, 1); r.Allowed {
				tr.Errorf("used up under %s: %+v", to, r)
			}
			if back := tr.remaining(key, old); back != 10 && !same || back != 0 && same {
				tr.Errorf("back under %s after %s %d remain", from, to, back)
			}
		}
		tr.holdsKeys(len(weir.Algorithms()), "in the end")
	})
}
