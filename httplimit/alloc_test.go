package httplimit

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// All default fields take one allocation, for one layer and for three.
func TestFieldsAllocateOnce(t *testing.T) {
	var checks []weir.Check
	var results []weir.Result
	header := http.Header{}
	for _, layer := range []string{"edge", "gateway", "endpoint"} {
		checks = append(checks, check(t, layer, "default", weir.PerMinute(600)))
		results = append(results, allowed(600, 599, time.Minute))
		d := weir.Decide(7, checks, results)
		if n := testing.AllocsPerRun(100, func() { clear(header); Headers{}.Set(header, &d) }); n > 1 {
			t.Errorf("%d layers: %v allocations", len(checks), n)
		}
	}
	refusal := weir.Decide(7, checks[:1], []weir.Result{refused(600, time.Second, time.Minute)})
	if n := testing.AllocsPerRun(100, func() { clear(header); Headers{}.Set(header, &refusal) }); n > 1 {
		t.Errorf("refused: %v allocations", n)
	}
}

// An admitted request allocates once more than without the limit, with all
// default fields: what watches the answer and the fields' memory are one. A key
// that is not part of the peer's address takes one more.
func TestAdmittedRequestsAllocateOnce(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerHour(1<<31))
	h := New(limiter, ByIP()).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for peer, most := range map[string]float64{"203.0.113.7:5123": 1, "[2001:db8:1:2:3::4]:5123": 2} {
		w := &sink{header: http.Header{}}
		r := httptest.NewRequest("GET", "/search", nil)
		r.RemoteAddr = peer
		n := testing.AllocsPerRun(100, func() {
			clear(w.header)
			h.ServeHTTP(w, r)
		})
		if n > most {
			t.Errorf("%s: %v allocations", peer, n)
		}
		if len(w.header) != 6 {
			t.Fatalf("set-up: %v", w.header)
		}
	}
}
