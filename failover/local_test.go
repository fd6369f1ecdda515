package failover_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
)

// Who answers for a group is its OnError: the memory, anybody may pass, or nobody.
// A shadow group is never why there is no answer.
func TestOnError(t *testing.T) {
	local, allow, deny := weir.OnErrorLocal, weir.OnErrorAllow, weir.OnErrorDeny
	shadow := func(o weir.OnError) *weir.Group { return &weir.Group{OnError: o, Shadow: true} }
	group := func(o weir.OnError) *weir.Group { return &weir.Group{OnError: o} }
	for _, c := range []struct {
		name   string
		groups []*weir.Group
		want   string // of each check: decided in memory, passed unseen; "error" for none
	}{
		{"local", []*weir.Group{group(local)}, "d"},
		{"no group", []*weir.Group{nil}, "d"},
		{"allow", []*weir.Group{group(allow)}, "u"},
		{"deny", []*weir.Group{group(deny)}, "error"},
		{"local and allow", []*weir.Group{group(local), group(allow), group(local)}, "dud"},
		{"local and deny", []*weir.Group{group(local), group(deny)}, "error"},
		{"deny and allow", []*weir.Group{group(deny), group(allow)}, "error"},
		{"shadow that denies", []*weir.Group{group(local), shadow(deny)}, "du"},
		{"shadow that is local", []*weir.Group{shadow(local), group(allow)}, "du"},
		{"shadow that denies beside one that does", []*weir.Group{shadow(deny), group(deny)}, "error"},
	} {
		inTime(t, failover.Options{}, func(tr *trial) {
			tr.primary.is(fails)
			var checks []weir.Check
			for i, g := range c.groups {
				checks = append(checks, weir.Check{Key: key(fmt.Sprint(i)), Limit: perHour(tr, 10), Cost: 1, Group: g})
			}
			results := make([]weir.Result, len(checks))
			err := tr.store.Take(context.Background(), checks, results)
			got := ""
			for _, r := range results {
				switch {
				case err != nil:
				case !r.Degraded || !r.Allowed || r.At == 0:
					tr.Errorf("%s: %+v", c.name, r)
				case r.Limit == 0 && !r.Charged:
					got += "u"
				case r.Limit == 10 && r.Charged && r.Remaining == 9:
					got += "d"
				}
			}
			if err != nil {
				got = "error"
			}
			if got != c.want {
				tr.Errorf("%s: %s, want %s: %+v", c.name, got, c.want, results)
			}
			if c.want == "error" && (!errors.Is(err, weir.ErrUnavailable) || !errors.Is(err, errDown)) {
				tr.Errorf("%s: %v", c.name, err)
			}
			s := tr.store.Stats()
			if s.Degraded != 1 || (s.Unavailable == 1) != (c.want == "error") || s.LastFailure != errDown.Error() {
				tr.Errorf("%s: %+v", c.name, s)
			}
			if c.want == "error" { // and nothing was charged in memory
				for i := range checks {
					checks[i].Group, checks[i].Peek = nil, true
				}
				for _, r := range tr.decide(checks...) {
					if r.Remaining != 10 {
						tr.Errorf("%s: %+v", c.name, r)
					}
				}
			}
		})
	}
}

// What the store said last is what the memory begins with: a key that is used up
// there is refused from the first moment of an outage, and one of which half is
// left has half. Time that passes in the outage drains it.
func TestMemoryIsWarm(t *testing.T) {
	for _, a := range weir.Algorithms() {
		inTime(t, failover.Options{}, func(tr *trial) {
			limit := perHour(tr, 10, weir.WithAlgorithm(a))
			tr.pass(time.Minute)
			tr.take(key("full"), limit, 10)
			tr.take(key("half"), limit, 2)
			tr.take(key("half"), limit, 3)
			tr.primary.is(silent)
			if r := tr.take(key("full"), limit, 1); r.Allowed || !r.Degraded || r.RetryAfter <= 0 || r.RetryAfter > 2*time.Hour {
				tr.Errorf("%s: of a key used up: %+v", a, r)
			}
			for i := range 8 {
				if r := tr.take(key("half"), limit, 1); r.Allowed != (i < 5) {
					tr.Errorf("%s: %d more of a key half used: %+v", a, i+1, r)
				}
			}
			tr.pass(2 * time.Hour)
			if r := tr.take(key("full"), limit, 10); !r.Allowed || !r.Degraded {
				tr.Errorf("%s: two hours later: %+v", a, r)
			}
		})
	}
}

// What other processes have used is in the store's answers, too.
func TestMemoryKnowsOfOthers(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		limit := perHour(tr, 10)
		tr.take(key("a"), limit, 1)
		other := make([]weir.Result, 1)
		if err := tr.primary.Take(context.Background(), []weir.Check{{Key: key("a"), Limit: limit, Cost: 7}}, other); err != nil {
			tr.Fatal(err)
		}
		tr.take(key("a"), limit, 0) // a look
		tr.primary.is(fails)
		if r := tr.take(key("a"), limit, 3); r.Allowed || r.Remaining != 2 {
			tr.Errorf("%+v", r)
		}
	})
}

// With N processes each admits its part, rounded up and at least 1.
func TestShare(t *testing.T) {
	for _, c := range []struct{ share, limit, want int64 }{
		{1, 10, 10}, {0, 10, 10}, {2, 10, 5}, {3, 10, 4}, {10, 10, 1}, {1000, 10, 1}, {7, 1_000_000, 142_858},
	} {
		for _, a := range weir.Algorithms() {
			inTime(t, failover.Options{Share: c.share}, func(tr *trial) {
				tr.primary.is(fails)
				if r := tr.take(key("a"), perHour(tr, c.limit, weir.WithAlgorithm(a)), 1); r.Limit != c.want || r.Remaining != c.want-1 {
					tr.Errorf("%s: one of %d has of %d: %+v", a, c.share, c.limit, r)
				}
				if r := tr.take(key("blocked"), perHour(tr, 0, weir.WithAlgorithm(a)), 1); r.Allowed || r.Reason != weir.LimitBlocked {
					tr.Errorf("%s: a blocked limit: %+v", a, r)
				}
			})
		}
	}
	inTime(t, failover.Options{Share: 4}, func(tr *trial) {
		tr.take(key("a"), perHour(tr, 100, weir.WithBurst(20)), 12) // 8 left of 20: 2 for each of four
		tr.primary.is(fails)
		if r := tr.take(key("a"), perHour(tr, 100, weir.WithBurst(20)), 1); r.Limit != 5 || r.Remaining != 1 {
			tr.Errorf("%+v", r)
		}
	})
}

// A charge is given back where it was made.
func TestRefundGoesWhereTheChargeWas(t *testing.T) {
	inTime(t, failover.Options{Share: 2}, func(tr *trial) {
		limit := perHour(tr, 10)
		charge := func(n int64) (weir.ID, weir.Charge) {
			tr.Helper()
			c := weir.Check{Key: key("a"), Limit: limit, Cost: n}
			return weir.NewID(), weir.Charged(c, tr.decide(c)[0])
		}
		shared, sharedCharge := charge(4)
		tr.opens()
		local, localCharge := charge(2)
		if sharedCharge.Degraded || !localCharge.Degraded {
			tr.Fatalf("set-up: %+v, %+v", sharedCharge, localCharge)
		}
		if _, err := tr.store.Refund(context.Background(), shared, []weir.Charge{sharedCharge}); !errors.Is(err, weir.ErrUnavailable) {
			tr.Errorf("a shared charge while the store is down: %v", err)
		}
		if gave, err := tr.store.Refund(context.Background(), local, []weir.Charge{localCharge}); !gave || err != nil {
			tr.Errorf("a local charge: %t, %v", gave, err)
		}
		if r := tr.take(key("a"), limit, 0); r.Remaining != 3 { // half of the 6 that are left there
			tr.Errorf("after the refund in memory: %+v", r)
		}
		tr.primary.is(nil)
		tr.pass(time.Second + 1)
		if gave, err := tr.store.Refund(context.Background(), shared, []weir.Charge{sharedCharge}); !gave || err != nil {
			tr.Errorf("a shared charge: %t, %v", gave, err)
		}
		if r := tr.take(key("a"), limit, 0); r.Remaining != 10 || r.Degraded {
			tr.Errorf("after the refund in the store: %+v", r)
		}
	})
}

// It is given back under the limit it was made under, the process's part.
func TestRefundIsOfThePart(t *testing.T) {
	inTime(t, failover.Options{Share: 2}, func(tr *trial) {
		tr.opens()
		c := weir.Check{Key: key("a"), Limit: perHour(tr, 10), Cost: 5}
		charge := weir.Charged(c, tr.decide(c)[0])
		tr.pass(48 * time.Minute) // 4 have leaked at 5 an hour; at 10 an hour all would have
		if gave, err := tr.store.Refund(context.Background(), weir.NewID(), []weir.Charge{charge}); !gave || err != nil {
			tr.Errorf("%t, %v", gave, err)
		}
	})
}

// A reset is of both. It fails where the store does, and is done in memory all the
// same.
func TestReset(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		limit := perHour(tr, 10)
		tr.take(key("a"), limit, 10)
		if err := tr.store.Reset(context.Background(), []weir.Key{key("a")}); err != nil {
			tr.Fatal(err)
		}
		if r := tr.take(key("a"), limit, 1); !r.Allowed {
			tr.Errorf("after a reset: %+v", r)
		}
		tr.take(key("a"), limit, 9)
		tr.primary.is(fails)
		if err := tr.store.Reset(context.Background(), []weir.Key{key("a")}); !errors.Is(err, weir.ErrUnavailable) {
			tr.Errorf("a reset while the store is down: %v", err)
		}
		if r := tr.take(key("a"), limit, 1); !r.Allowed || !r.Degraded {
			tr.Errorf("after it: %+v", r)
		}
	})
}
