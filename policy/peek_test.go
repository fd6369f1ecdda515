package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weirhq/weir/policy"
)

// What a caller has under each limit of a layer; every plan's where its plan is
// not known.
func TestPeeks(t *testing.T) {
	config, err := policy.Parse("weir.yaml", []byte(`
clients: {plan: {k1: pro, k2: free}}
plans: {free: 60/min, pro: 600/min}
layers:
  - {name: edge, by: ip, limit: [{limit: 10/s, name: s}, {limit: 1000/h, name: h, shadow: true}]}
  - {name: gateway, by: client, limit: plan}
  - {name: endpoint, by: [client, route], routes: {/search: 10/min, /export: 5/min}}
`))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := config.Compile(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ layer, caller, want string }{
		{"edge", "203.0.113.7", "s 10/s gcra false, h 1000/h gcra true"},
		{"gateway", "k1", "default 600/min gcra false"},
		{"gateway", p.Identity("k2"), "default 60/min gcra false"},
		{"gateway", "203.0.113.7", "default 60/min gcra false, default 600/min gcra false"},
		{"endpoint", "k1", "/export 5/min gcra false, /search 10/min gcra false"},
	} {
		checks, err := p.Peeks(c.layer, c.caller)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range checks {
			if !one.Peek || one.Cost != 1 || one.Key.Layer != c.layer || one.Key.Identity != p.Identity(c.caller) {
				t.Errorf("%+v", one)
			}
			got = append(got, fmt.Sprint(one.Key.Limit, " ", one.Limit, " ", one.Group.Shadow))
		}
		want := strings.Split(c.want, ", ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s in %s: %v, want %v", c.caller, c.layer, got, want)
		}
	}
	if _, err := p.Peeks("none", "k1"); err == nil {
		t.Error("there is no such layer")
	}
}

// The configuration as JSON is what it is as YAML.
func TestConfigAsJSON(t *testing.T) {
	config, err := policy.Parse("weir.yaml", []byte("secret: hunter2hunter2\nlayers: [{name: edge, by: [ip, route], routes: {/search: 10/min}}]"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Redacted().JSON()
	const want = `{"layers":[{"by":["ip","route"],"name":"edge","routes":{"/search":"10/min"}}],"secret":"redacted"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}
