package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// The cases of ../shared/cases that concern configuration, keys and identities,
// on the memory store with a clock that the test turns.

func TestB31RuleIsTheIdentity(t *testing.T) {
	separate := "layers: [{name: r, by: [ip, route], routes: {/x: 10/min, /y: 10/min}}]"
	apart := "layers: [{name: r1, by: ip, limit: 10/min, match: {path: /x}}, {name: r2, by: ip, limit: 10/min, match: {path: /y}}]"
	for _, src := range []string{separate, apart} {
		e := newEngine(t)
		p := mustCompile(t, src)
		want(t, "X", e.admitted(p, 10, Attributes{IP: ip1, Path: "/x"}), 10)
		want(t, "Y", e.admitted(p, 1, Attributes{IP: ip1, Path: "/y"}), 1)
	}

	e := newEngine(t)
	shared := mustCompile(t, "layers: [{name: s, by: ip, limit: 10/min, match: {path: [/x, /y]}}]")
	want(t, "S on X and Y", e.admitted(shared, 6, Attributes{IP: ip1, Path: "/x"})+e.admitted(shared, 6, Attributes{IP: ip1, Path: "/y"}), 10)

	e = newEngine(t)
	a := mustCompile(t, "layers: [{name: r1, by: [ip, route], routes: {/x: 10/min, /z: 1/s}}, {name: r2, by: ip, limit: 99/s}]")
	b := mustCompile(t, "layers: [{name: r2, by: ip, limit: 99/s}, {name: r1, by: [ip, route], routes: {/z: 1/s, /x: 10/min}}]")
	want(t, "two replicas", e.admitted(a, 5, Attributes{IP: ip1, Path: "/x"})+e.admitted(b, 6, Attributes{IP: ip1, Path: "/x"}), 10)
}

func TestB33MissingOrUnverifiedIdentity(t *testing.T) {
	// By key with the address as fallback, with a limit of its own and by plan.
	for _, src := range []string{
		"clients: {plan: {good: free}}\nplans: {free: 1000/s}\nlayers: [{name: a, by: client, limit: 3/s}]",
		"clients: {plan: {good: pro}, missing: ip}\nplans: {free: 3/s, pro: 3/s}\nlayers: [{name: a, by: client, limit: plan}]",
		"clients: {plan: {good: anon}, unknown: anon, missing: anon}\nplans: {anon: 3/s}\nlayers: [{name: a, by: client, limit: plan}]",
	} {
		e := newEngine(t)
		p := mustCompile(t, src)
		want(t, "no key from IP1", e.admitted(p, 30, Attributes{IP: ip1}), 3)
		want(t, "no key from IP2", e.admitted(p, 1, Attributes{IP: ip2}), 1)
		want(t, "the listed key", e.admitted(p, 30, Attributes{IP: ip1, Header: key("good")}), 3)

		e = newEngine(t)
		passed := 0
		for i := range 30 {
			passed += e.admitted(p, 1, Attributes{IP: ip1, Header: key(fmt.Sprint("junk", i))})
		}
		want(t, "rotating junk", passed, 3)
		want(t, "then without a key", e.admitted(p, 1, Attributes{IP: ip1}), 0)
	}

	// No path ends in a bucket without a name: an unknown address is refused.
	e := newEngine(t)
	d := e.decide(mustCompile(t, "layers: [{name: a, by: client, limit: 3/s}]"), Attributes{})
	if d.Allowed || d.Denied != "a: the client's address is unknown" || d.RetryAfter != weir.Never || e.store.Len() != 0 {
		t.Errorf("%+v, %d keys", d, e.store.Len())
	}
}

func TestB43AcceptedFormsPrintCanonically(t *testing.T) {
	for in, want := range map[string]string{
		"10/minute": "10/min", "10/m": "10/min", "1/sec": "1/s", "60/60s": "60/min", "100/1h30m": "100/1h30m",
		"100/90m": "100/1h30m", "5/24h": "5/day", "5/d": "5/day", "7/week": "7/7d", "30/10s": "30/10s", "1/1500ms": "1/1.5s",
		"\"10/s  \"": "10/s", "10/s   ": "10/s", "{limit: 10/hour}": "10/h", "[10/second]": "[10/s]", "0/min": "0/min", "blocked": "blocked",
	} {
		c := mustParse(t, "layers:\n- name: a\n  by: ip\n  limit: "+in+"\n")
		if text := string(c.Canonical()); text != "layers:\n- name: a\n  by: ip\n  limit: "+want+"\n" {
			t.Errorf("%s prints as %s", in, text)
		}
		sameAgain(t, c)
	}
}

func TestB65PlansBeforeAuthentication(t *testing.T) {
	e := newEngine(t)
	p := mustCompile(t, strings.Replace(plansFile, "pro: 600/min", "pro: 100/min", 1))
	want(t, "pro", e.admitted(p, 100, Attributes{IP: ip1, Header: key("k-pro")}), 100)
	want(t, "another pro key behind the same address", e.admitted(p, 100, Attributes{IP: ip1, Header: key("k-pro2")}), 100)
	passed := 0
	for i := range 50 {
		passed += e.admitted(p, 1, Attributes{IP: ip1, Header: key(fmt.Sprint("invalid", i))})
	}
	want(t, "invalid keys", passed, 20)
	if d := e.decide(p, Attributes{IP: ip1, Header: key("more")}); refuser(d) != "gateway" || d.RetryAfter <= 0 {
		t.Errorf("%+v", d)
	}
	_, warnings, _ := mustParse(t, "plans: {free: 1/s}\nlayers: [{name: gateway, by: client, limit: plan}, {name: edge, by: ip, limit: 1/s}]").Compile(Options{})
	if text := fmt.Sprint(warnings); !strings.Contains(text, "weir.yaml:2:30: layer gateway counts before the caller is known") {
		t.Error(text)
	}
}

func TestB61ShadowChangesNothing(t *testing.T) {
	e := newEngine(t)
	p := mustCompile(t, "layers: [{name: s, by: ip, limit: 1/min, shadow: true}, {name: e, by: ip, limit: 3/min}]")
	wouldDeny := 0
	for call := 1; call <= 4; call++ {
		d := e.decide(p, Attributes{IP: ip1})
		if d.Allowed != (call <= 3) || call == 4 && refuser(d) != "e" || d.Checks[d.Tightest].Key.Layer != "e" {
			t.Errorf("call %d: %+v", call, d)
		}
		if !d.Results[0].Allowed {
			wouldDeny++
		}
	}
	if wouldDeny != 3 {
		t.Errorf("the shadow layer would deny %d, want 3", wouldDeny)
	}
}
