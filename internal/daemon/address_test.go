package daemon

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/admin"
)

// How addresses are come by is counted: a forged header, a proxy's, and junk (B47).
func TestAddressesAreCounted(t *testing.T) {
	s := newService(t, "trusted_proxies: [10.0.0.0/8]\n"+edge(5))
	for _, c := range []struct{ peer, forwarded string }{
		{"203.0.113.7:1", ""}, {"203.0.113.7:1", "198.51.100.1"}, {"10.0.0.5:1", "198.51.100.1"}, {"10.0.0.5:1", "_hid"}, {"10.0.0.5:1", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/check", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	w := httptest.NewRecorder()
	admin.New(s.engine, s.engine.trail, s.engine.metrics, admin.Options{Token: "t"}).ServeHTTP(w, metricsRequest())
	for _, outcome := range []string{"direct", "ignored", "found", "junk", "absent"} {
		if want := `weir_client_address_total{outcome="` + outcome + `"} 1`; !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}

func metricsRequest() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer t")
	return r
}
