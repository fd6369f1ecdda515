package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/admin"
)

// reset asks the admin port and gives the number of keys that it names.
func (s *service) reset(layer, key string) int {
	s.t.Helper()
	port := service{t: s.t, handler: admin.New(s.engine, s.engine.trail, s.engine.metrics, admin.Options{})}
	var got struct{ Keys int }
	port.post("http://127.0.0.1:9090/v1/reset", fmt.Sprintf(`{"layer": %q, "key": %q}`, layer, key), http.StatusOK, &got)
	return got.Keys
}

// A reset forgets one caller in one layer, however the caller is written.
func TestResetForgetsOneCallerInOneLayer(t *testing.T) {
	const config = `
clients: {plan: {k1: free, "k*": free, "203.0.113.9": free}}
plans: {free: 2/min}
layers:
  - {name: edge, by: ip, limit: 1000/min}
  - {name: gateway, by: client, limit: plan}
  - name: endpoint
    by: [client, route]
    routes: {/search: 2/min, /export: [2/min, 2/h]}
`
	search := func(from string, header map[string]string) request {
		return request{target: "/check/search", from: from, header: header}
	}
	for _, c := range []struct {
		name       string
		ask        request
		layer, key string
		keys       int
		other      request // who stays limited
	}{
		{"an address", search("203.0.113.7", nil), "endpoint", "203.0.113.7", 3, search("203.0.113.8", nil)},
		{"an address as answers show it", search("203.0.113.7", nil), "endpoint", "ip:203.0.113.7", 3, search("203.0.113.8", nil)},
		{"an address, mapped", search("203.0.113.7", nil), "endpoint", "::ffff:203.0.113.7", 3, search("203.0.113.8", nil)},
		{"any address of a network", search("[2001:db8:1:2::1]", nil), "endpoint", "2001:db8:1:2:ffff::9", 3, search("[2001:db8:1:3::1]", nil)},
		{"a network as answers show it", search("[2001:db8:1:2::1]", nil), "endpoint", "ip:2001:db8:1:2::/64", 3, search("[2001:db8:1:3::1]", nil)},
		{"an API key", search("203.0.113.7", key("k1")), "endpoint", "k1", 3, search("203.0.113.7", key("k*"))},
		{"a key that looks like a pattern", search("203.0.113.7", key("k*")), "endpoint", "k*", 3, search("203.0.113.7", key("k1"))},
		{"a key that looks like an address", search("203.0.113.7", key("203.0.113.9")), "endpoint", "203.0.113.9", 3, search("203.0.113.9", nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, config)
			for _, ask := range []request{c.ask, c.other} {
				ask.target += "?cost=2"
				s.spend(1, ask)
			}
			if n := s.reset(c.layer, c.key); n != c.keys {
				t.Errorf("%d keys, want %d", n, c.keys)
			}
			layers := map[string]bool{}
			for _, l := range s.left(c.ask) {
				if l.Limit != l.Remaining {
					layers[l.Layer] = true
				}
			}
			if layers["endpoint"] || !layers["edge"] || c.ask.header != nil && !layers["gateway"] {
				t.Errorf("after the reset these still know the caller: %v", layers)
			}
			for _, l := range s.left(c.other) {
				if l.Layer == "endpoint" && l.Remaining != 0 {
					t.Errorf("another caller was reset: %+v", l)
				}
			}
		})
	}
}

// left are the limits of a request to /search, nothing taken.
func (s *service) left(ask request) []takenLimit {
	s.t.Helper()
	ip, headers := strings.Trim(ask.from, "[]"), "{}"
	if ask.header != nil {
		headers = fmt.Sprintf(`{"X-API-Key": %q}`, ask.header["X-API-Key"])
	}
	var got take
	s.post("/v1/take", fmt.Sprintf(`{"attributes": {"ip": %q, "path": "/search", "headers": %s}, "peek": true}`, ip, headers), http.StatusOK, &got)
	return got.Limits
}
