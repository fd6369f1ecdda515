package trail

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// noon is a whole multiple of every period that the tests use.
var noon = time.Date(2024, time.May, 15, 12, 0, 0, 0, time.UTC)

func perMinute(t testing.TB, n int64) *weir.Limit {
	t.Helper()
	l, err := weir.NewLimit(weir.PerMinute(n))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// check is one of edge/min.
func check(l *weir.Limit, identity string) weir.Check {
	return weir.Check{Key: weir.Key{Layer: "edge", Limit: "min", Identity: identity}, Limit: l, Cost: 1}
}

// decided makes a decision of one check at an instant.
func decided(c weir.Check, allowed bool, at time.Time) *weir.Decision {
	r := weir.Result{Allowed: allowed, Charged: allowed, Limit: c.Limit.Capacity(), At: at.UnixMicro()}
	if !allowed {
		r.Reason, r.RetryAfter, r.NextAfter = weir.OverLimit, time.Second, time.Second
	}
	d := weir.Decide(weir.NewID(), []weir.Check{c}, []weir.Result{r})
	return &d
}

func addressOf(i int) string { return fmt.Sprintf("ip:10.%d.%d.%d", i>>16, i>>8&255, i&255) }
