package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"
)

const plans = `
plans: {free: 60/min, pro: 600/min}
clients:
  plan: {k-free: free, k-pro: pro}
layers:
  - {name: edge, by: ip, limit: 1000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, algorithm: sliding-counter}
  - name: endpoint
    by: [client, route]
    algorithm: sliding-counter
    routes: {/search: 10/min, /export: 5/min}
`

func key(text string) map[string]string { return map[string]string{"X-API-Key": text} }

// Each limit admits its count within one minute, and the next request is refused
// by its layer, which the answer names, for a time that is long enough.
func TestEveryLimitAdmitsItsCountAndThenNamesItself(t *testing.T) {
	for _, c := range []struct {
		name   string
		config string
		ask    request
		limit  int
		layer  string
	}{
		{"one address", "", request{target: "/check/items"}, 1000, "edge"},
		{"a key that is not listed counts as its address", plans, request{target: "/check/items", header: key("junk")}, 1000, "edge"},
		{"one IPv6 network", "", request{target: "/check", from: "[2001:db8:1:2::9]"}, 1000, "edge"},
		{"a key without a list is free", "", request{target: "/check", header: key("k")}, 60, "gateway"},
		{"a key on free", plans, request{target: "/check", header: key("k-free")}, 60, "gateway"},
		{"a key on pro", plans, request{target: "/check", header: key("k-pro")}, 600, "gateway"},
		{"search by address", "", request{target: "/check/search?q=a"}, 10, "endpoint"},
		{"search by key", "", request{target: "/check/search", header: key("k")}, 10, "endpoint"},
		{"search by POST", "", request{method: http.MethodPost, target: "/check/search"}, 10, "endpoint"},
		{"search spelt in another way", "", request{target: "/check//x/../%73earch"}, 10, "endpoint"},
		{"export by address", "", request{target: "/check/export"}, 5, "endpoint"},
		{"export by a key on pro", plans, request{target: "/check/export", header: key("k-pro")}, 5, "endpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.config)
			for i := range c.limit {
				if a := s.send(c.ask); a.status != http.StatusOK {
					t.Fatalf("request %d of %d: status %d: %s", i+1, c.limit, a.status, a.body)
				}
				s.clock.advance(30 * time.Second / time.Duration(c.limit)) // all within half a minute
			}
			refused := s.refusedBy(c.ask, c.layer)
			wait, err := strconv.Atoi(refused.header.Get("Retry-After"))
			if err != nil || wait < 1 || wait > 120 {
				t.Fatalf("Retry-After is %q", refused.header.Get("Retry-After"))
			}
			s.clock.advance(time.Duration(wait) * time.Second)
			s.spend(1, c.ask)
		})
	}
}

// refusedBy sends a request that must be refused by the layer, asked as /check and
// as JSON, and returns the first answer.
func (s *service) refusedBy(ask request, layer string) answer {
	s.t.Helper()
	a := s.send(ask)
	var body problemBody
	if a.status != http.StatusTooManyRequests {
		s.t.Fatalf("status %d, want 429 by %s: %s", a.status, layer, a.body)
	}
	a.decode(s.t, &body)
	if !slices.Equal(body.Violated, []string{layer}) {
		s.t.Errorf("violated-policies is %q, want %q", body.Violated, layer)
	}
	if id := a.header.Get("Weir-Decision"); id == "" || id != body.Decision {
		s.t.Errorf("Weir-Decision is %q, and the body says %q", id, body.Decision)
	}
	return a
}

func TestRefusedTakeNamesItsLayer(t *testing.T) {
	for _, c := range []struct{ path, key, layer string }{
		{"/search", "", "endpoint"},
		{"/export", "k-pro", "endpoint"},
		{"/items", "k-free", "gateway"},
		{"/items", "", "edge"},
	} {
		t.Run(c.path+" "+c.layer, func(t *testing.T) {
			s := newService(t, plans)
			attributes := map[string]any{"ip": "203.0.113.7", "path": c.path, "headers": key(c.key)}
			if c.key == "" {
				delete(attributes, "headers")
			}
			body, _ := json.Marshal(map[string]any{"attributes": attributes})
			var got take
			for range 1001 {
				if s.post("/v1/take", string(body), http.StatusOK, &got); !got.Allowed {
					break
				}
			}
			if got.Allowed || got.Layer != c.layer || got.RetryAfter <= 0 || got.ID == "" {
				t.Errorf("%+v, want a refusal by %s", got, c.layer)
			}
			for _, l := range got.Limits {
				if l.Allowed == (l.Layer == c.layer) {
					t.Errorf("limit %+v, where %s refused", l, c.layer)
				}
			}
		})
	}
}

// What is used up in one layer leaves every other as it was.
func TestLayersAreApart(t *testing.T) {
	s := newService(t, plans)
	search := request{target: "/check/search", header: key("k-free")}
	s.spend(10, search)
	s.refusedBy(search, "endpoint")
	for _, c := range []struct {
		name  string
		ask   request
		n     int
		layer string
	}{
		{"the other route", request{target: "/check/export", header: key("k-free")}, 5, "endpoint"},
		{"another key on the same route", request{target: "/check/search", header: key("k-pro")}, 10, "endpoint"},
		{"the address on the same route", request{target: "/check/search"}, 10, "endpoint"},
		{"another address", request{target: "/check/search", from: "203.0.113.8"}, 10, "endpoint"},
		// 10 searches, one more that the gateway had let pass, 5 exports and one more.
		{"the key on no route", request{target: "/check/", header: key("k-free")}, 60 - 10 - 1 - 5 - 1, "gateway"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			s.spend(c.n, c.ask)
			s.refusedBy(c.ask, c.layer)
		})
	}
}

// The same text as an address, a key and an ad hoc key is three callers.
func TestNamespacesOfKeys(t *testing.T) {
	s := newService(t, "")
	const text = "203.0.113.7"
	s.spend(10, request{target: "/check/search"})
	s.spend(10, request{target: "/check/search", header: key(text)})
	for _, algorithm := range []string{"gcra", "token-bucket", "fixed-window", "sliding-log", "sliding-counter"} {
		body := fmt.Sprintf(`{"key": "ip:%s", "limit": "2/min", "algorithm": %q}`, text, algorithm)
		for i, want := range []bool{true, true, false} {
			var got take
			if s.post("/v1/take", body, http.StatusOK, &got); got.Allowed != want || got.Layer != "adhoc" || got.Limits[0].Algorithm != algorithm {
				t.Errorf("%s, call %d: %+v, want allowed %v", algorithm, i+1, got, want)
			}
		}
	}
	s.refusedBy(request{target: "/check/search"}, "endpoint")
}

// A subset of the layers runs alone (--layers).
func TestSubsetOfLayers(t *testing.T) {
	s := newService(t, "")
	s.engine.use(mustLoad(t, Options{Layers: []string{"edge"}}))
	s.spend(1000, request{target: "/check/search", header: key("k")})
	s.refusedBy(request{target: "/check/search", header: key("k")}, "edge")
}
