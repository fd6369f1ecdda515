package policy

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A shadow layer that denies by a list or by identity reports it and refuses
// nobody.
func TestShadowDenies(t *testing.T) {
	e := newEngine(t)
	for _, src := range []string{
		"layers: [{name: s, by: ip, limit: 1/min, shadow: true, deny: 203.0.113.0/24}]",
		"clients: {missing: deny}\nlayers: [{name: s, by: client, limit: 1/min, shadow: true}]",
	} {
		d := e.decide(mustCompile(t, src), Attributes{IP: ip1})
		if !d.Allowed || d.Tightest >= 0 || len(d.Results) != 1 || d.Results[0].Allowed || d.Checks[0].Key.Limit != "denied" {
			t.Errorf("%+v", d)
		}
	}
}

// A candidate stands beside the live limit with a state of its own.
func TestCandidate(t *testing.T) {
	e := newEngine(t)
	p := mustCompile(t, "layers: [{name: a, by: ip, limit: 4/min, candidate: 2/min}]")
	live, candidate := 0, 0
	for range 6 {
		d := e.decide(p, Attributes{IP: ip1})
		if len(d.Checks) != 2 || d.Checks[0].Key.Limit != "default" || d.Checks[1].Key.Limit != "default~candidate" || !d.Checks[1].Group.Shadow || d.Checks[0].Group == d.Checks[1].Group {
			t.Fatalf("%+v", d.Checks)
		}
		if d.Allowed {
			live++
		}
		if d.Results[1].Allowed {
			candidate++
		}
	}
	want(t, "live", live, 4)
	want(t, "candidate", candidate, 2)
}

// Candidates stand beside a plan, beside one limit of several, and may be a plan
// themselves.
func TestCandidatesAnywhere(t *testing.T) {
	p := mustCompile(t, `
plans: {free: {limit: 60/min, candidate: 30/min}, pro: 600/min}
clients: {plan: {f: free, p: pro}}
layers:
  - {name: plan, by: client, limit: plan, candidate: [9/s, {limit: 99/h, name: hourly}]}
  - {name: list, by: ip, limit: [{limit: 5/s, name: calls, candidate: {limit: 4/s, algorithm: sliding-log}}, 50/min], algorithm: fixed-window, count: all}
  - {name: fixed, by: ip, limit: 7/s, candidate: plan}
`)
	got := func(k string) string {
		checks, _ := p.Resolve(&Attributes{IP: ip1, Header: key(k), Cost: 1}, nil)
		var all []string
		for _, c := range checks {
			text := c.Key.Layer + " " + c.Key.Limit + " " + c.Limit.String()
			if c.Group.Shadow {
				text = "(" + text + ")"
			}
			all = append(all, text)
		}
		return strings.Join(all, "; ")
	}
	list := "list calls 5/s fixed-window count all; list default 50/min fixed-window count all; (list calls~candidate 4/s sliding-log)"
	for k, want := range map[string]string{
		"f": "plan default 60/min gcra; (plan default~candidate 30/min gcra); (plan s~candidate 9/s gcra); (plan hourly~candidate 99/h gcra); " + list + "; fixed default 7/s gcra; (fixed default~candidate 60/min gcra)",
		"p": "plan default 600/min gcra; (plan default~candidate 9/s gcra); (plan hourly~candidate 99/h gcra); " + list + "; fixed default 7/s gcra; (fixed default~candidate 600/min gcra)",
		"?": list + "; fixed default 7/s gcra",
	} {
		if got := got(k); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", k, got, want)
		}
	}
}

// What was used is kept when a count, a plan, the order of a file or the mode
// changes: the name of a state holds none of these.
func TestChangesKeepWhatWasUsed(t *testing.T) {
	const head = "plans: {free: 10/min, pro: 25/min}\nclients: {plan: {k: PLAN}}\nlayers:\n"
	for _, c := range []struct {
		name          string
		before, after string
		left          int // of 25 after 10 were used
	}{
		{"a plan", strings.Replace(head, "PLAN", "free", 1) + "- {name: a, by: client, limit: plan, algorithm: fixed-window}", strings.Replace(head, "PLAN", "pro", 1) + "- {name: a, by: client, limit: plan, algorithm: fixed-window}", 15},
		{"a count", "layers: [{name: a, by: ip, limit: 10/min, algorithm: fixed-window}]", "layers: [{name: a, by: ip, limit: 25/min, algorithm: fixed-window}]", 15},
		{"a place in a list", "layers: [{name: a, by: ip, limit: 10/min, algorithm: fixed-window}]", "layers: [{name: a, by: ip, limit: [1000/s, 25/min], algorithm: fixed-window}]", 15},
		{"a place in the file", "layers: [{name: a, by: ip, limit: 10/min, algorithm: fixed-window}]", "layers: [{name: b, by: ip, limit: 99/s}, {name: a, by: ip, limit: 25/min, algorithm: fixed-window}]", 15},
		{"a period", "layers: [{name: a, by: ip, limit: 10/min, algorithm: fixed-window}]", "layers: [{name: a, by: ip, limit: 25/h, algorithm: fixed-window}]", 15},
		{"another period under a name", "layers: [{name: a, by: ip, limit: {limit: 10/min, name: x}, algorithm: fixed-window}]", "layers: [{name: a, by: ip, limit: {limit: 25/60s, name: x}, algorithm: fixed-window}]", 15},
		{"from shadow", "layers: [{name: a, by: ip, limit: 10/min, algorithm: fixed-window, shadow: true}]", "layers: [{name: a, by: ip, limit: 25/min, algorithm: fixed-window}]", 15},
		{"another name", "layers: [{name: a, by: ip, limit: {limit: 10/min, name: x}, algorithm: fixed-window}]", "layers: [{name: a, by: ip, limit: {limit: 25/min, name: y}, algorithm: fixed-window}]", 25},
		{"another layer", "layers: [{name: a, by: ip, limit: 10/min, algorithm: fixed-window}]", "layers: [{name: b, by: ip, limit: 25/min, algorithm: fixed-window}]", 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t)
			a := Attributes{IP: ip1, Header: key("k")}
			want(t, "before", e.admitted(mustCompile(t, c.before), 10, a), 10)
			want(t, "after", e.admitted(mustCompile(t, c.after), 100, a), c.left)
		})
	}
}

// The gateway and the endpoint of one caller share an identity, so that their
// states share a Redis slot.
func TestLayersShareAnIdentity(t *testing.T) {
	a := Attributes{IP: ip1, Path: "/search", Header: key("k"), Cost: 1}
	checks, _ := Default().Resolve(&a, nil)
	if len(checks) != 3 || checks[1].Key.Identity != checks[2].Key.Identity || !strings.HasPrefix(checks[1].Key.Identity, "key:") {
		t.Errorf("%v", checks)
	}
}

func TestSeveralLimitsAllOrNothing(t *testing.T) {
	e := newEngine(t)
	p := mustCompile(t, "layers: [{name: a, by: ip, limit: [10/s, 15/h], algorithm: fixed-window}]")
	want(t, "first second", e.admitted(p, 20, Attributes{IP: ip1}), 10)
	e.now = e.now.Add(time.Second)
	want(t, "the hour's rest", e.admitted(p, 20, Attributes{IP: ip1}), 5)
	d := e.decide(p, Attributes{IP: ip1})
	if d.Checks[0].Group != d.Checks[1].Group || d.Results[0].Remaining != 5 || d.Results[1].Remaining != 0 {
		t.Errorf("%+v", d.Results)
	}
}

func TestCharge(t *testing.T) {
	p := mustCompile(t, "layers: [{name: a, by: ip, limit: 1/s}, {name: b, by: ip, limit: 1/s, charge: admitted}, {name: c, by: ip, limit: 1/s, charge: independent}]")
	checks, _ := p.Resolve(&Attributes{IP: ip1, Cost: 1}, nil)
	for i, want := range []weir.Charging{weir.Arriving, weir.Admitted, weir.Independent} {
		if checks[i].Group.Charge != want || checks[i].Group.Shadow {
			t.Errorf("%+v", checks[i].Group)
		}
	}
}

func TestCost(t *testing.T) {
	p := mustCompile(t, "trusted_proxies: 10.0.0.0/8\nlayers: [{name: a, by: ip, limit: {limit: 3/s, cost: 3}}, {name: b, by: ip, limit: 1/s, cost: header:X-Cost}]")
	for _, c := range []struct {
		name    string
		header  []string
		trusted bool
		cost    int64
		a, b    int64
	}{
		{"none", nil, true, 1, 3, 1},
		{"a number", []string{"7"}, true, 1, 3, 7},
		{"times the front's", []string{" 7 "}, true, 5, 15, 35},
		{"nothing", []string{"7"}, true, 0, 0, 0},
		{"free", []string{"0"}, true, 2, 6, 0},
		{"not trusted", []string{"0"}, false, 1, 3, 1},
		{"negative", []string{"-7"}, true, 1, 3, 1},
		{"fraction", []string{"1.5"}, true, 1, 3, 1},
		{"junk", []string{"many"}, true, 1, 3, 1},
		{"two lines", []string{"7", "0"}, true, 1, 3, 1},
		{"2^63", []string{"9223372036854775808"}, true, 1, 3, math.MaxInt64},
		{"2^64", []string{"18446744073709551616"}, true, 1, 3, math.MaxInt64},
		{"too much by the front", []string{"2"}, true, math.MaxInt64 / 2, math.MaxInt64, math.MaxInt64 - 1},
		{"negative by the front", []string{"7"}, true, -2, -2, -2},
	} {
		checks, _ := p.Resolve(&Attributes{IP: ip1, Header: http.Header{"X-Cost": c.header}, Trusted: c.trusted, Cost: c.cost}, nil)
		if checks[0].Cost != c.a || checks[1].Cost != c.b {
			t.Errorf("%s: costs %d and %d, want %d and %d", c.name, checks[0].Cost, checks[1].Cost, c.a, c.b)
		}
	}
}

// A peek charges nothing, in any layer.
func TestPeek(t *testing.T) {
	e := newEngine(t)
	a := Attributes{IP: ip1, Path: "/search", Header: key("k"), Peek: true}
	want(t, "peeks", e.admitted(Default(), 100, a), 100)
	if e.store.Len() != 0 {
		t.Errorf("%d keys", e.store.Len())
	}
}
