package httplimit

import (
	"net/http"
	"testing"

	"github.com/weirhq/weir"
)

// An answer says that the store had no part in it; one that was let pass unseen
// has no figures beside that.
func TestDegradedAnswersSaySo(t *testing.T) {
	gateway := check(t, "gateway", "plan", weir.PerMinute(60))
	for name, c := range map[string]struct {
		result weir.Result
		limit  string
	}{
		"decided in memory": {weir.Result{Allowed: true, Limit: 60, Remaining: 59, At: at, Degraded: true}, "60"},
		"let pass unseen":   {weir.Result{Allowed: true, At: at, Degraded: true}, ""},
	} {
		d := weir.Decide(7, []weir.Check{gateway}, []weir.Result{c.result})
		header := http.Header{}
		Headers{}.Set(header, &d)
		if header.Get("Weir-Degraded") != "1" || header.Get("X-RateLimit-Limit") != c.limit {
			t.Errorf("%s: %v", name, header)
		}
	}
}
