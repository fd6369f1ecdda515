package daemon

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
)

// A busy key is admitted from leases, which metrics count; without the setting it is
// not.
func TestLeases(t *testing.T) {
	const layer = "layers: [{name: edge, by: ip, limit: 100000/day, algorithm: fixed-window"
	leased := onRedis(t, layer+", lease: 5%}]\n")
	redistest.Until(t, 20*time.Second, func() bool {
		leased.checkOften(t)
		return !leased.has(t, "weir_leases_total 0") && !leased.has(t, "weir_leased_requests_total 0")
	}, "requests are admitted from leases")
	redistest.Until(t, 20*time.Second, func() bool { return !leased.has(t, "weir_leases_given_back_total 0") }, "what is left is given back")

	asked := onRedis(t, layer+"}]\n")
	asked.checkOften(t)
	asked.metric(t, "weir_leases_total 0")
	asked.metric(t, "weir_leased_requests_total 0")
}

func (r *running) checkOften(t *testing.T) {
	t.Helper()
	for range 30 {
		if answer := r.check(t); answer.StatusCode != 200 || answer.Header.Get("X-RateLimit-Remaining") == "" {
			t.Fatalf("%d, %v", answer.StatusCode, answer.Header)
		}
	}
}

func (r *running) has(t *testing.T, line string) bool {
	t.Helper()
	in, _ := http.NewRequest(http.MethodGet, r.admin+"/metrics", nil)
	_, body := do(t, in)
	return strings.Contains(body, "\n"+line+"\n")
}

// In memory there is nothing to save.
func TestLeaseInMemory(t *testing.T) {
	for store, warnings := range map[string]int{"": 1, "memory:": 1, "redis://127.0.0.1:1": 0} {
		l := mustLoad(t, Options{Store: store, Config: write(t, "layers: [{name: edge, by: ip, limit: 1000/s, lease: 5%}]")})
		if len(l.warnings) != warnings {
			t.Errorf("%q: %v", store, l.warnings)
		}
	}
}
