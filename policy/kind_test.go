package policy

import (
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/weirhq/weir"
)

const kindConfig = `
trusted_proxies: [10.0.0.0/8]
plans: {free: 10/min, pro: 20/min}
clients: {key: header:X-API-Key, header: X-Plan}
layers:
  - {name: edge, by: ip, limit: {limit: 60/min, cost: header:X-Cost}, match: {host: [.example.com], header: {X-Beta: ["on"]}}}
  - {name: calls, by: [method, host, header:X-Tenant], limit: 5/min}
  - {name: gateway, by: client, limit: plan, match: {method: [GET]}}
  - {name: endpoint, by: [client, route], routes: {/search: 10/min, POST /export/: 5/min}}
`

// One caller's requests of one kind, with the same headers, have the same checks.
func TestRequestsOfOneKindHaveTheSameChecks(t *testing.T) {
	p := mustCompile(t, kindConfig)
	random := rand.New(rand.NewPCG(9, 1))
	some := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	seen := map[string][]weir.Check{}
	for range 20_000 {
		a := Attributes{
			IP: netip.MustParseAddr("203.0.113.7"), Cost: 1,
			Method: some("GET", "HEAD", "POST", "BREW", "MAKE"),
			Host:   some("", "example.com", "A.example.com", "a.example.com:443"),
			Path:   some("/", "/search", "//search", "/search/", "/export", "/export/a", "/else"),
			Header: http.Header{"X-Beta": {some("on", "off")}, "X-Api-Key": {some("k1", "k2")}},
		}
		kind := string(p.AppendKind(nil, &a)) + a.Header.Get("X-Beta") + a.Header.Get("X-Api-Key")
		checks, _ := p.Resolve(&a, nil)
		if other, found := seen[kind]; !found {
			seen[kind] = checks
		} else if !slices.Equal(checks, other) {
			t.Fatalf("%+v has %v, another of its kind %v", a, checks, other)
		}
	}
	if len(seen) < 20 || len(seen) > 200 {
		t.Errorf("%d kinds", len(seen))
	}
}

func TestHeadersAreAllThatDecisionsDependOn(t *testing.T) {
	want := []string{"X-Api-Key", "X-Beta", "X-Cost", "X-Plan", "X-Tenant"}
	if got := mustCompile(t, kindConfig).Headers(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
