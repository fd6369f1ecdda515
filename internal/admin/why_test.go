package admin

import (
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/trail"
)

// Why a decision came out as it did, and what would have changed it, in words.
func TestWhy(t *testing.T) {
	limit, err := weir.NewLimit(weir.PerMinute(10))
	if err != nil {
		t.Fatal(err)
	}
	blocked, err := weir.NewLimit(weir.PerMinute(0))
	if err != nil {
		t.Fatal(err)
	}
	one := func(l *weir.Limit, cost int64, shadow bool, r weir.Result) *trail.Record {
		c := weir.Check{Key: weir.Key{Layer: "edge", Limit: "min", Identity: "ip:a"}, Limit: l, Cost: cost, Group: &weir.Group{Shadow: shadow}}
		d := weir.Decide(weir.NewID(), []weir.Check{c}, []weir.Result{r})
		return trail.NewRecord(&trail.Request{}, &d)
	}
	over := weir.Result{Reason: weir.OverLimit, Limit: 10, Remaining: 2, RetryAfter: 6 * time.Second, NextAfter: 6 * time.Second}
	denied := weir.Deny(weir.NewID(), "gateway: unknown API key")
	for _, c := range []struct {
		name    string
		record  *trail.Record
		why     string
		check   string
		changes string
	}{
		{"refused", one(limit, 3, false, over), "Refused by edge/min.",
			"8 of 10 are used, and a cost of 3 needs more than what is left. There is room in 6s.",
			"The same request, coming alone, passes after 6s. edge/min has room for a cost of 2. edge/min admits it with a burst of 11; it has 10."},
		{"refused in shadow", one(limit, 3, true, over), "Allowed: edge/min would have refused it, and is in shadow.",
			"8 of 10 are used, and a cost of 3 needs more than what is left. There is room in 6s. It is in shadow, so this refuses nobody.", ""},
		{"charged", one(limit, 3, false, weir.Result{Allowed: true, Charged: true, Limit: 10, Remaining: 2}), "Allowed: every limit has room.",
			"5 of 10 were used, and it took 3.", ""},
		{"not charged", one(limit, 3, false, weir.Result{Allowed: true, Limit: 10, Remaining: 5}), "Allowed: every limit has room.",
			"5 of 10 were used: it had room, and was not charged.", ""},
		{"too dear", one(limit, 11, false, weir.Result{Reason: weir.ExceedsCapacity, Limit: 10, Remaining: 10, RetryAfter: weir.Never, NextAfter: weir.Never}), "Refused by edge/min.",
			"A cost of 11 is above 10, the most there can ever be at once.", "edge/min has room for a cost of 10. edge/min admits it with a burst of 11; it has 10."},
		{"blocked", one(blocked, 1, false, weir.Result{Reason: weir.LimitBlocked, RetryAfter: weir.Never, NextAfter: weir.Never}), "Refused by edge/min.",
			"The limit is 0: it refuses everything.", "edge/min admits it with a limit of 1; it has 0."},
		{"without the store", one(limit, 1, false, weir.Result{Allowed: true, Degraded: true}), "Allowed: every limit has room.",
			"It was let pass without being counted. The store did not answer: on_error decided.", ""},
		{"denied", trail.NewRecord(&trail.Request{}, &denied), "Denied: gateway: unknown API key.", "",
			"No wait helps: the lists and the rules about identities would have to be others."},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := c.record
			if got := whyDecided(k); got != c.why {
				t.Errorf("why: %s\nwant %s", got, c.why)
			}
			if len(k.Checks) > 0 {
				if got := whyChecked(&k.Checks[0], &k.Results[0]); got != c.check {
					t.Errorf("check: %s\nwant %s", got, c.check)
				}
			}
			if got := strings.Join(changes(k), " "); got != c.changes {
				t.Errorf("changes: %s\nwant %s", got, c.changes)
			}
		})
	}
}
