package policy

import (
	"errors"
	"io/fs"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/weirhq/weir"
)

const threeLayers = `
plans: {free: 60/min, pro: 600/min}
layers:
  - {name: edge, by: ip, limit: 1000/min}
  - {name: gateway, by: client, limit: plan}
  - {name: endpoint, by: [client, route], routes: {/search: 10/min}}
`

// B31 as it concerns instances: a subset runs the layers under the same keys.
func TestSubsetOfLayers(t *testing.T) {
	c := mustParse(t, threeLayers)
	whole, _, err := c.Compile(Options{})
	if err != nil {
		t.Fatal(err)
	}
	part, _, err := c.Compile(Options{Layers: []string{"endpoint", "edge"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := part.Layers(); !reflect.DeepEqual(got, []string{"edge", "endpoint"}) {
		t.Errorf("layers %v", got)
	}
	a := Attributes{IP: netip.MustParseAddr("203.0.113.7"), Path: "/search", Header: key("k1"), Cost: 1}
	all, _ := whole.Resolve(&a, nil)
	some, _ := part.Resolve(&a, nil)
	if len(all) != 3 || len(some) != 2 || some[0].Key != all[0].Key || some[1].Key != all[2].Key {
		t.Errorf("%v of %v", some, all)
	}
	_, _, err = c.Compile(Options{Layers: []string{"edge", "gatway"}})
	if err == nil || err.Error() != `there is no layer "gatway" to run: did you mean gateway?` {
		t.Error(err)
	}
}

func TestKeyFile(t *testing.T) {
	src := "plans: {free: 60/min, pro: 600/min}\nclients: {file: keys.yaml}\nlayers: [{name: a, by: client, limit: plan}]\n"
	c, err := Parse(filepath.FromSlash("/etc/weir/weir.yaml"), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string, err error) Options {
		return Options{ReadFile: func(name string) ([]byte, error) {
			if name != filepath.FromSlash("/etc/weir/keys.yaml") {
				t.Errorf("read %s", name)
			}
			return []byte(text), err
		}}
	}
	p, _, err := c.Compile(read("# who\nk1: pro\n\"007\": free\n", nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Files(); !reflect.DeepEqual(got, []string{filepath.FromSlash("/etc/weir/keys.yaml")}) {
		t.Errorf("files %v", got)
	}
	for k, want := range map[string]string{"k1": "600/min gcra", "007": "60/min gcra", "k2": ""} {
		checks, _ := p.Resolve(&Attributes{Header: key(k), Cost: 1}, nil)
		got := ""
		if len(checks) > 0 {
			got = checks[0].Limit.String()
		}
		if got != want {
			t.Errorf("key %s is limited to %q, want %q", k, got, want)
		}
	}
	for _, c2 := range []struct{ name, text, want string }{
		{"plan", "k1: pro\nk2: por\n", `/etc/weir/keys.yaml:2:5: the plan "por" is not defined: did you mean pro?`},
		{"twice", "sk-1: pro\nsk-2: free\nsk-1: free\n", `/etc/weir/keys.yaml:3:1: the same name as in line 1: keep one of them`},
		{"shape", "- k1\n", `/etc/weir/keys.yaml:1:1: the configuration is a list, not a map: write it as name: value`},
		{"syntax", "k1: pro\n\tk2: free\n", `/etc/weir/keys.yaml:2:1: a tab in the indentation: YAML indents with spaces`},
		{"empty plan", "k1:\n", `/etc/weir/keys.yaml:1:4: this entry is empty: fill it in or remove it`},
	} {
		_, _, err := c.Compile(read(c2.text, nil))
		if err == nil || filepath.ToSlash(err.Error()) != c2.want {
			t.Errorf("%s: got %v, want %s", c2.name, err, c2.want)
		}
	}
	_, _, err = c.Compile(read("", fs.ErrNotExist))
	if err == nil || err.Error() != "/etc/weir/weir.yaml:2:17: file does not exist" {
		t.Error(err)
	}
	p, _, err = c.Compile(read("# nobody yet\n", nil))
	if err != nil {
		t.Fatal(err)
	}
	if checks, _ := p.Resolve(&Attributes{Header: key("k1"), Cost: 1}, nil); len(checks) != 0 {
		t.Errorf("an empty file lists %v", checks)
	}
}

func TestBaseDir(t *testing.T) {
	c := mustParse(t, "plans: {free: 60/min}\nclients: {file: sub/keys.yaml}\nlayers: [{name: a, by: client, limit: plan}]\n")
	var asked string
	_, _, err := c.Compile(Options{BaseDir: "/srv", ReadFile: func(name string) ([]byte, error) { asked = name; return nil, nil }})
	if err != nil || asked != filepath.FromSlash("/srv/sub/keys.yaml") {
		t.Error(asked, err)
	}
}

// The seam for a Redis hash: without one to ask, such a configuration is refused.
func TestPlanSource(t *testing.T) {
	src := "plans: {free: 60/min, pro: 600/min}\nclients: {redis: weir-plans, unknown: deny}\nlayers: [{name: a, by: client, limit: plan}]\n"
	_, _, err := mustParse(t, src).Compile(Options{})
	want := "weir.yaml:2:18: plans in a Redis hash need a redis store, and the store is memory:: set store: redis://host:port, or list the keys under plan or in a file"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, _, err = mustParse(t, "store: redis://h:1\n"+src).Compile(Options{})
	if err == nil || !strings.Contains(err.Error(), "weir.yaml:3:18: plans in a Redis hash need a redis store, and this one is not connected") {
		t.Error(err)
	}
	p, _, err := mustParse(t, src).Compile(Options{Plans: plansOf{"k1": "pro", "k2": "gone"}})
	if err != nil {
		t.Fatal(err)
	}
	checks, _ := p.Resolve(&Attributes{Header: key("k1"), Cost: 1}, nil)
	if len(checks) != 1 || checks[0].Limit.String() != "600/min gcra" {
		t.Errorf("%v", checks)
	}
	for _, k := range []string{"k2", "k3"} {
		if _, denied := p.Resolve(&Attributes{Header: key(k), Cost: 1}, nil); denied != "a: unknown API key" {
			t.Errorf("%s: %q", k, denied)
		}
	}
}

type plansOf map[string]string

func (p plansOf) Plan(key string) (string, bool) { name, ok := p[key]; return name, ok }

// The secret of the options wins, and both give the identities of that secret.
func TestSecret(t *testing.T) {
	identity := func(config, option string) string {
		p, _, err := mustParse(t, config+threeLayers).Compile(Options{Secret: []byte(option)})
		if err != nil {
			t.Fatal(err)
		}
		return p.Identity("k1")
	}
	none, a, b := identity("", ""), identity("secret: aaaaaaaaaaaaaaaa\n", ""), identity("secret: aaaaaaaaaaaaaaaa\n", "b")
	if none == a || a == b || b != identity("", "b") {
		t.Error(none, a, b)
	}
}

// A configuration written in Go is checked as one in a file is, and named by its
// fields.
func TestConfigWrittenInGo(t *testing.T) {
	c := &Config{
		Plans:  Map[Limit]{{"free", Limit{Rate: "60/min"}}, {"pro", Limit{List: []Limit{{Rate: "10/s"}, {Rate: "600/min", Settings: Settings{Burst: 5}}}}}},
		Layers: []Layer{{Name: "edge", By: List{"ip"}, Limit: &Limit{Rate: "10/s"}}, {Name: "gateway", By: List{"client"}, Limit: &Limit{Rate: "plan"}}},
	}
	p, _, err := c.Compile(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if checks, _ := p.Resolve(&Attributes{IP: netip.MustParseAddr("203.0.113.7"), Cost: 1}, nil); len(checks) != 1 {
		t.Errorf("%v", checks)
	}
	twice := &Config{
		Plans:   Map[Limit]{{"free", Limit{Rate: "1/s"}}, {"free", Limit{Rate: "2/s"}}, {"a b", Limit{Rate: "3/s"}}},
		Clients: Clients{Plan: Map[string]{{"s3cret", "free"}, {"s3cret", "free"}, {"", "free"}}},
		Layers: []Layer{{Name: "a", By: List{"ip"}, Limit: &Limit{Rate: "1/s", Settings: Settings{Cost: Cost{N: 2, Header: "X-Cost"}}},
			Match: Match{Header: Map[List]{{"X-A", nil}}}}},
	}
	_, _, err = twice.Compile(Options{})
	if got := "plans[\"free\"]: a second plan \"free\": keep one of them\n" +
		"plans[\"a b\"]: the plan's name is \"a b\": " + nameHint + "\n" +
		"clients.plan[1]: a key that is empty or listed before: keep one entry for each key\n" +
		"clients.plan[2]: a key that is empty or listed before: keep one entry for each key\n" +
		"layers[0].match.header[\"X-A\"]: no value: write a value, or \"*\" for any\n" +
		"layers[0].limit.cost: cost is a number and a header: keep one of them"; err == nil || err.Error() != got {
		t.Errorf("got\n%v\nwant\n%s", err, got)
	}
	bad := &Config{
		UnknownIP:  "share",
		IPv4Prefix: 33,
		Plans:      Map[Limit]{{"free", Limit{Rate: "60/min", Settings: Settings{Burst: -1}}}},
		Layers: []Layer{
			{Name: "edge", By: List{"ip"}, Limit: &Limit{Rate: "10"}, Charge: "never", Settings: Settings{OnError: "panic"}},
			{Name: "end", By: List{"route"}, Routes: Map[Limit]{{"/a", Limit{List: []Limit{{Rate: "1/s", Settings: Settings{Algorithm: "leaky"}}}}}, {"b", Limit{}}}},
			{},
		},
	}
	_, _, err = bad.Compile(Options{})
	want := []string{
		`ipv4_prefix: ipv4_prefix is 33: write a number from 1 to 32`,
		`unknown_ip: unknown_ip is "share": write deny or skip`,
		`plans["free"].burst: burst is -1: write a number from 1 to 2199023255552`,
		`layers[0].on_error: on_error is "panic": write local, allow or deny`,
		`layers[0].charge: charge is "never": write arriving, admitted or independent`,
		`layers[1].routes["/a"][0].algorithm: algorithm is "leaky": write gcra, token-bucket, fixed-window, sliding-log or sliding-counter`,
		`layers[0].limit: layer edge: "10" is not COUNT/PERIOD: write it as 100/min, 10/s, 30/10s or 100/1h30m`,
		`layers[1].routes["b"]: the pattern "b" has no slash: did you mean /b?`,
		`layers[2].name: the layer has no name: write name: edge`,
		`layers[2].by: the layer: by is missing: write by: ip, by: client, or a list such as [client, route]`,
		`layers[2].limit: the layer: limit is missing: write limit: 100/min, or routes`,
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
	var one ConfigError
	if !errors.As(err, &one) || one.Path != "ipv4_prefix" {
		t.Errorf("%+v", one)
	}
}

// One configuration is compiled by many, and one policy decides for many.
func TestConcurrentUse(t *testing.T) {
	c := DefaultConfig()
	p := Default()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, err := c.Compile(Options{}); err != nil {
				t.Error(err)
			}
			c.Redacted().Canonical()
			for range 100 {
				a := Attributes{IP: netip.MustParseAddr("203.0.113.7"), Path: "/search", Header: key("k1"), Cost: 1}
				if checks, _ := p.Resolve(&a, nil); len(checks) != 3 || checks[1].Key.Identity != p.Identity("k1") {
					t.Errorf("%v", checks)
				}
				p.Explain(&a)
			}
		})
	}
	wg.Wait()
}

// Who answers while the store is away is the layer's, unless a route or a plan
// says otherwise; the checks' groups carry it to package failover.
func TestOnError(t *testing.T) {
	p := mustCompile(t, `
plans: {free: 9/s, pro: {limit: [9/s, 99/min], on_error: deny}}
clients: {plan: {f: free, p: pro}}
layers:
  - {name: a, by: ip, limit: 1/s, on_error: allow}
  - {name: b, by: [ip, route], routes: {/x: [1/s, {limit: 2/min, shadow: true, on_error: allow}, {limit: 3/h, shadow: true}, 4/day], /y: {limit: 1/s, on_error: deny}}}
  - {name: c, by: client, limit: plan}
`)
	for layer, want := range map[string]weir.OnError{"a": weir.OnErrorAllow, "b": weir.OnErrorLocal, "c": weir.OnErrorLocal, "d": weir.OnErrorLocal} {
		if got := p.OnError(layer); got != want {
			t.Errorf("%s: %s, want %s", layer, got, want)
		}
	}
	for path, want := range map[string]string{
		"/x f": "a/default:allow|b//x#s:local b//x:local|(b//x#h:local)|(b//x#min:allow)|c/default:local",
		"/y p": "a/default:allow|b//y:deny|c/s:deny c/default:deny",
		"/x ?": "a/default:allow|b//x#s:local b//x:local|(b//x#h:local)|(b//x#min:allow)",
	} {
		where, k, _ := strings.Cut(path, " ")
		checks, _ := p.Resolve(&Attributes{IP: ip1, Path: where, Header: key(k), Cost: 1}, nil)
		if got := groups(checks); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", path, got, want)
		}
	}
}

// Limits that are decided each alone may each have their own.
func TestOnErrorOfIndependentLimits(t *testing.T) {
	p := mustCompile(t, "layers: [{name: a, by: ip, charge: independent, limit: [{limit: 1/s, on_error: deny}, 2/min, {limit: 3/h, on_error: deny}]}]")
	checks, _ := p.Resolve(&Attributes{IP: ip1, Cost: 1}, nil)
	if got := groups(checks); got != "a/min:local|a/s:deny a/default:deny" {
		t.Error(got)
	}
}

// groups shows which checks stand together, shadow ones in brackets.
func groups(checks []weir.Check) string {
	var b strings.Builder
	for i, c := range checks {
		switch {
		case i > 0 && c.Group != checks[i-1].Group:
			b.WriteString("|")
		case i > 0:
			b.WriteString(" ")
		}
		text := c.Key.Layer + "/" + c.Key.Limit + ":" + c.Group.OnError.String()
		if c.Group.Shadow {
			text = "(" + text + ")"
		}
		b.WriteString(text)
	}
	return b.String()
}

// Keys are all that a request can have met, for a reset of exactly these.
func TestKeys(t *testing.T) {
	p := mustCompile(t, `
plans: {free: [10/s, 60/min], pro: {limit: 600/min, name: calls}}
layers:
  - {name: a, by: [client, route], limit: {limit: plan, candidate: 5/s}, routes: {/x: {limit: 1/h, shadow: true}, /y: blocked}}
`)
	keys, err := p.Keys("a", "k1")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range keys {
		if k.Layer != "a" || k.Identity != p.Identity("k1") {
			t.Errorf("%v", k)
		}
		got = append(got, k.Limit)
	}
	want := []string{"/", "/#calls", "/#default~candidate", "/#s", "/x", "/y"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := p.Keys("A", "k1"); err == nil || err.Error() != `policy: there is no layer "A": did you mean a?` {
		t.Error(err)
	}
}

func TestTrustedProxies(t *testing.T) {
	p := mustCompile(t, "trusted_proxies: [10.0.0.0/8]"+okLayer)
	if !p.TrustedProxies().Contains(netip.MustParseAddr("10.1.2.3")) || Default().TrustedProxies().Contains(netip.MustParseAddr("10.1.2.3")) {
		t.Error("trusted_proxies does not say who is trusted")
	}
}
