package grpclimit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"github.com/weirhq/weir"
)

// Times are rounded up, and where nothing was decided there are no figures.
func TestTold(t *testing.T) {
	const at = 1_700_000_000_250_000 // µs: a quarter past a second
	refused := func(wait, reset time.Duration) weir.Result {
		return weir.Result{ID: 7, Limit: 60, RetryAfter: wait, ResetAfter: reset, At: at}
	}
	for _, c := range []struct {
		name   string
		result weir.Result
		want   metadata.MD
	}{
		{"allowed", weir.Result{ID: 7, Allowed: true, Limit: 60, Remaining: 59, ResetAfter: time.Second, At: at}, metadata.Pairs("x-ratelimit-limit", "60", "x-ratelimit-remaining", "59", "x-ratelimit-reset", "1700000002")},
		{"a microsecond", refused(time.Microsecond, 750*time.Millisecond), metadata.Pairs("x-ratelimit-limit", "60", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "1700000001", "grpc-retry-pushback-ms", "1")},
		{"a whole number", refused(2*time.Second, 750*time.Millisecond+time.Microsecond), metadata.Pairs("x-ratelimit-limit", "60", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "1700000002", "grpc-retry-pushback-ms", "2000")},
		{"never", refused(weir.Never, 0), metadata.Pairs("x-ratelimit-limit", "60", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "1700000001", "grpc-retry-pushback-ms", "-1")},
		{"let pass unseen", weir.Result{ID: 7, Allowed: true, Degraded: true}, metadata.MD{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := New(newLimiter(t, atT0, weir.PerMinute(60)), one)
			c.want.Set("weir-decision", "0000000000000007")
			if diff := cmp.Diff(c.want, i.told(&c.result)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
