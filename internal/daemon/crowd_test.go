package daemon

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/policy"
)

// 200,000 callers make no metric series more than one does, nor limits.
func TestSeriesDoNotGrowWithCallers(t *testing.T) {
	s := newService(t, "layers: [{name: edge, by: ip, limit: 1/h}, {name: try, by: ip, limit: 1/h, shadow: true}]")
	port := admin.New(s.engine, s.engine.trail, s.engine.metrics, admin.Options{})
	series := func() (n int) {
		w := httptest.NewRecorder()
		port.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
		for line := range strings.Lines(w.Body.String()) {
			if strings.HasPrefix(line, "weir_") {
				n++
			}
		}
		return n
	}
	ask := func(from, to int) {
		for i := from; i < to; i++ {
			a := policy.Attributes{IP: netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), Method: "GET", Path: "/", Cost: int64(1 + i%2)}
			if _, err := s.engine.Decide(t.Context(), &a); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask(0, 2)
	before := series()
	ask(2, 200_000)
	if after := series(); after != before {
		t.Errorf("%d series, then %d", before, after)
	}
	if got := s.engine.trail.Limits("edge"); len(got) != 1 {
		t.Errorf("limits %v", got)
	}
}
