package policy

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

func TestMatch(t *testing.T) {
	p := mustCompile(t, `
layers:
  - name: a
    by: ip
    limit: 1/s
    match: {host: [api.example.com, "*.shop.example"], method: [GET, POST], path: [/v1/, "PUT /v2/{id}", POST /v2/], header: {X-Tier: [gold, silver], X-Debug: "*"}}
`)
	fits := Attributes{IP: ip1, Method: "GET", Host: "API.example.com:443", Path: "/v1/x", Header: http.Header{"X-Tier": {"bronze", " gold "}, "X-Debug": {""}}, Cost: 1}
	for _, c := range []struct {
		name   string
		change func(*Attributes)
		want   bool
	}{
		{"all", func(*Attributes) {}, true},
		{"HEAD as GET", func(a *Attributes) { a.Method = "HEAD" }, true},
		{"below the domain", func(a *Attributes) { a.Host = "a.b.shop.example" }, true},
		{"the domain itself", func(a *Attributes) { a.Host = "shop.example" }, false},
		{"a look-alike", func(a *Attributes) { a.Host = "evilshop.example" }, false},
		{"no host", func(a *Attributes) { a.Host = "" }, false},
		{"another method", func(a *Attributes) { a.Method = "DELETE" }, false},
		{"another path", func(a *Attributes) { a.Path = "/v3/" }, false},
		{"path of another method", func(a *Attributes) { a.Path = "/v2/x" }, false},
		{"path and method", func(a *Attributes) { a.Path, a.Method = "/v2/x", "POST" }, true},
		{"method of a pattern that match.method leaves out", func(a *Attributes) { a.Path, a.Method = "/v2/x", "PUT" }, false},
		{"another value", func(a *Attributes) { a.Header = http.Header{"X-Tier": {"bronze"}, "X-Debug": {"1"}} }, false},
		{"no header", func(a *Attributes) { a.Header = nil }, false},
	} {
		a := fits
		c.change(&a)
		if checks, _ := p.Resolve(&a, nil); (len(checks) == 1) != c.want {
			t.Errorf("%s: %v, want %v", c.name, len(checks) == 1, c.want)
		}
	}
}

func TestRoutes(t *testing.T) {
	p := mustCompile(t, `
layers:
  - {name: a, by: [ip, route], limit: 9/s, routes: {/search: 1/s, "GET /search": 2/s, /free/: unlimited, /gone: blocked}}
  - {name: b, by: [ip, route], limit: 5/s, match: {path: ["/users/{id}", /users/me]}}
`)
	for path, want := range map[string]string{
		"GET /search": "a GET /search 2/s", "PUT //search": "a /search 1/s", "GET /other": "a / 9/s",
		"GET /free/x": "", "GET /gone": "a /gone 0/s",
		"GET /users/7": "a / 9/s; b /users/{id} 5/s", "GET /users/me": "a / 9/s; b /users/me 5/s",
	} {
		method, where, _ := strings.Cut(path, " ")
		checks, _ := p.Resolve(&Attributes{IP: ip1, Method: method, Path: where, Cost: 1}, nil)
		var got []string
		for _, c := range checks {
			got = append(got, c.Key.Layer+" "+c.Key.Limit+" "+c.Limit.Rate().String())
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	e := newEngine(t)
	if d := e.decide(p, Attributes{IP: ip1, Method: "GET", Path: "/gone"}); d.Allowed || d.RetryAfter != weir.Never || d.Results[d.Refused].Reason != weir.LimitBlocked {
		t.Errorf("%+v", d)
	}
}

func TestLists(t *testing.T) {
	p := mustCompile(t, `
allow: [192.0.2.0/24, "key:ops"]
deny: [198.51.100.0/24, "key:leaked"]
layers:
  - {name: a, by: ip, limit: 1/s, allow: 203.0.113.2, deny: ["203.0.113.3", "key:late"], match: {path: /a}}
  - {name: b, by: ip, limit: 1/s}
`)
	for _, c := range []struct{ name, ip, key, path, want string }{
		{"nobody special", "203.0.113.1", "k", "/a", "a b"},
		{"allowed address", "192.0.2.9", "", "/a", ""},
		{"allowed, IPv4-mapped", "::ffff:192.0.2.9", "", "/a", ""},
		{"allowed key", "203.0.113.1", "ops", "/a", ""},
		{"denied address", "198.51.100.1", "", "/a", "the caller is on the deny list"},
		{"denied key", "203.0.113.1", "leaked", "/a", "the caller is on the deny list"},
		{"denied and allowed", "198.51.100.1", "ops", "/a", "the caller is on the deny list"},
		{"allowed by a layer", "203.0.113.2", "", "/a", "b"},
		{"denied by a layer", "203.0.113.3", "", "/a", "a: the caller is on the deny list"},
		{"denied by a layer that does not apply", "203.0.113.3", "", "/", "b"},
		{"denied and allowed by a layer", "203.0.113.2", "late", "/a", "a: the caller is on the deny list"},
	} {
		a := Attributes{IP: netip.MustParseAddr(c.ip), Path: c.path, Header: key(c.key), Cost: 1}
		checks, got := p.Resolve(&a, nil)
		if got == "" {
			var layers []string
			for _, c := range checks {
				layers = append(layers, c.Key.Layer)
			}
			got = strings.Join(layers, " ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
