package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// TestGoldenExplanations holds what people read.
func TestGoldenExplanations(t *testing.T) {
	const secret = "an-api-key-that-must-not-be-shown"
	src := `
secret: 0123456789abcdef
trusted_proxies: 10.0.0.0/8
allow: 192.0.2.0/24
deny: [198.51.100.7, "key:leaked"]
plans: {free: [10/s, 60/min], pro: {limit: 600/min, burst: 50, candidate: 300/min}, partner: unlimited}
clients: {plan: {` + secret + `: pro, p2: partner}, unknown: deny, missing: skip}
layers:
  - {name: edge, by: ip, limit: 1000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, charge: admitted, cost: header:X-Cost}
  - {name: admin, by: ip, limit: 1/s, match: {host: admin.example.com}}
  - {name: trial, by: [ip, method], limit: 5/s, shadow: true, allow: 203.0.113.9}
  - {name: endpoint, by: [client, route], on_error: deny, routes: {"GET /users/{id}": 10/min, /gone: blocked}}
`
	p := mustCompile(t, src)
	var got bytes.Buffer
	for _, c := range []struct {
		name string
		a    Attributes
	}{
		{"a listed key", Attributes{IP: ip1, Method: "GET", Host: "API.example.com:443", Path: "//users/%37", Header: key(secret)}},
		{"a cost by a trusted peer", Attributes{IP: ip1, Method: "POST", Path: "/gone", Header: http.Header{"X-Api-Key": {secret}, "X-Cost": {"7"}}, Trusted: true}},
		{"an unlimited plan", Attributes{IP: ip1, Method: "GET", Path: "/users/7", Header: key("p2")}},
		{"no key", Attributes{IP: netip.MustParseAddr("2001:db8::1"), Method: "GET", Host: "admin.example.com", Path: "/"}},
		{"a key that is not listed", Attributes{IP: ip1, Method: "GET", Path: "/users/7", Header: key("junk")}},
		{"no address", Attributes{Method: "GET", Path: "/"}},
		{"the allow list", Attributes{IP: netip.MustParseAddr("192.0.2.1"), Method: "GET", Path: "/"}},
		{"the deny list", Attributes{IP: ip1, Method: "GET", Path: "/", Header: key("leaked")}},
		{"a layer's allow list", Attributes{IP: netip.MustParseAddr("203.0.113.9"), Method: "GET", Path: "/"}},
	} {
		c.a.Cost = 1
		fmt.Fprintf(&got, "## %s\n%s\n", c.name, p.Explain(&c.a))
		sameAsResolve(t, p, &c.a)
	}
	golden(t, "testdata/explain/requests.golden", got.Bytes())
	if text := got.String(); strings.Contains(text, secret) || strings.Contains(text, "leaked") {
		t.Error("an API key is shown")
	}
}

// sameAsResolve: an explanation is of the checks that are made.
func sameAsResolve(t *testing.T, p *Policy, a *Attributes) {
	t.Helper()
	e := p.Explain(a)
	checks, denied := p.Resolve(a, nil)
	if e.Denied != denied {
		t.Errorf("explained as denied by %q, and it is by %q", e.Denied, denied)
	}
	if denied != "" {
		return
	}
	var explained, made []string
	for _, l := range e.Layers {
		for _, one := range l.Limits {
			explained = append(explained, fmt.Sprint(l.Name, one.Name, one.Limit == "blocked", one.Key, one.Cost, one.Mode != "enforced"))
		}
	}
	for _, c := range checks {
		made = append(made, fmt.Sprint(c.Key.Layer, c.Key.Limit, c.Limit.Blocked(), c.Key.Identity, c.Cost, c.Group.Shadow))
	}
	if strings.Join(explained, "\n") != strings.Join(made, "\n") {
		t.Errorf("explained\n%s\nmade\n%s", strings.Join(explained, "\n"), strings.Join(made, "\n"))
	}
}

func TestExplanationAsJSON(t *testing.T) {
	text, err := json.Marshal(Default().Explain(&Attributes{IP: ip1, Method: "GET", Path: "/search", Cost: 1}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"method":"GET","host":"","path":"/search","address":"ip:203.0.113.1","client":"no API key","layers":[` +
		`{"name":"edge","counts":true,"charge":"arriving","limits":[{"name":"default","limit":"1000/min sliding-counter","key":"ip:203.0.113.1","cost":1,"mode":"enforced","on_error":"local"}]},` +
		`{"name":"gateway","counts":false,"why":"the limit is plan, and the caller has none","charge":"arriving"},` +
		`{"name":"endpoint","counts":true,"route":"/search","charge":"arriving","limits":[{"name":"/search","limit":"10/min sliding-counter","key":"ip:203.0.113.1","cost":1,"mode":"enforced","on_error":"local"}]}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// Explaining charges nothing, and asks no store.
func ExamplePolicy_Explain() {
	p := Default()
	fmt.Print(p.Explain(&Attributes{
		IP:     netip.MustParseAddr("203.0.113.7"),
		Method: "GET", Path: "/search", Cost: 1,
		Header: http.Header{"X-Api-Key": {"k1"}},
	}))
	// Output:
	// GET /search
	//   address    203.0.113.7
	//   client     an API key, plan free
	// edge
	//   charge     arriving
	//   enforced   1000/min sliding-counter, cost 1, key ip:203.0.113.7, name default, on error local
	// gateway
	//   charge     arriving
	//   enforced   60/min sliding-counter, cost 1, key key:arnx6499M4j0-dWG9m6Z_Q, name default, on error local
	// endpoint
	//   route      /search
	//   charge     arriving
	//   enforced   10/min sliding-counter, cost 1, key key:arnx6499M4j0-dWG9m6Z_Q, name /search, on error local
}

func ExampleParse() {
	_, err := Parse("weir.yaml", []byte(`
budget: 20
layers:
  - name: edge
    by: ip
    limit: 1000/minn
    alogrithm: sliding-counter
`))
	fmt.Println(err)
	// Output:
	// weir.yaml:2:9: budget is "20", a number without a unit: did you mean 20ms?
	// weir.yaml:6:12: layer edge: "1000/minn" has a period "minn" that is not one: did you mean min?
	// weir.yaml:7:5: unknown field "alogrithm": did you mean algorithm?
}

func ExamplePolicy_Decide() {
	config, err := Parse("weir.yaml", []byte("layers: [{name: edge, by: ip, limit: 2/min}]"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _, err := config.Compile(Options{Secret: []byte(os.Getenv("WEIR_SECRET"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	for range 3 {
		d, err := p.Decide(context.Background(), store, &Attributes{IP: netip.MustParseAddr("203.0.113.7"), Cost: 1})
		fmt.Println(d.Allowed, err)
	}
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}
