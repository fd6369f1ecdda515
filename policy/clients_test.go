package policy

import (
	"net/http"
	"strings"
	"testing"
)

func TestPlans(t *testing.T) {
	e := newEngine(t)
	p := mustCompile(t, plansFile)
	want(t, "free", e.admitted(p, 100, Attributes{IP: ip1, Header: key("k-free")}), 60)
	want(t, "pro", e.admitted(p, 700, Attributes{IP: ip2, Header: key("k-pro")}), 600)
	want(t, "free from another address", e.admitted(p, 10, Attributes{IP: ip2, Header: key("k-free")}), 0)
}

// The rules for keys that are not listed and for none, in a layer by plan and in
// one with a limit of its own.
func TestUnknownAndMissing(t *testing.T) {
	byKey := func(k string) Attributes { return Attributes{IP: ip1, Header: key(k)} }
	for _, c := range []struct{ unknown, missing, junk, none string }{
		{"", "", "fixed ip", "fixed ip"},
		{"ip", "skip", "fixed ip", "fixed ip"},
		{"", "ip", "plan ip 1/s, fixed ip", "plan ip 1/s, fixed ip"},
		{"", "anon", "plan ip 2/s, fixed ip", "plan ip 2/s, fixed ip"},
		{"", "deny", "plan: unknown API key", "plan: no API key"},
		{"anon", "", "plan ip 2/s, fixed ip", "fixed ip"},
		{"deny", "", "plan: unknown API key", "fixed ip"},
		{"deny", "anon", "plan: unknown API key", "plan ip 2/s, fixed ip"},
	} {
		rules := ""
		if c.unknown != "" {
			rules += ", unknown: " + c.unknown
		}
		if c.missing != "" {
			rules += ", missing: " + c.missing
		}
		p := mustCompile(t, "plans: {free: 1/s, anon: 2/s, pro: 3/s}\nclients: {plan: {good: pro}"+rules+"}\nlayers: [{name: plan, by: client, limit: plan}, {name: fixed, by: client, limit: 9/s}]")
		for what, r := range map[string]struct {
			a    Attributes
			want string
		}{
			"a listed key":   {byKey("good"), "plan key 3/s, fixed key"},
			"a junk key":     {byKey("junk"), c.junk},
			"no key":         {Attributes{IP: ip1}, c.none},
			"an empty key":   {byKey(""), c.none},
			"a key of blank": {byKey("  "), c.none},
		} {
			if got := summary(p, r.a); got != r.want {
				t.Errorf("unknown: %q, missing: %q: %s gets %q, want %q", c.unknown, c.missing, what, got, r.want)
			}
		}
	}
}

// summary is the checks of the layers plan and fixed.
func summary(p *Policy, a Attributes) string {
	checks, denied := p.Resolve(&a, nil)
	if denied != "" {
		return denied
	}
	var all []string
	for _, c := range checks {
		kind, _, _ := strings.Cut(c.Key.Identity, ":")
		text := c.Key.Layer + " " + kind
		if c.Key.Layer == "plan" {
			text += " " + c.Limit.Rate().String()
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// A plan in a header is a trusted peer's word, or no word at all.
func TestPlanInAHeader(t *testing.T) {
	p := mustCompile(t, "trusted_proxies: 10.0.0.0/8\nplans: {free: 1/s, pro: 3/s}\nclients: {header: X-Plan}\nlayers: [{name: plan, by: client, limit: plan}, {name: fixed, by: client, limit: 9/s}]")
	for _, c := range []struct {
		name    string
		header  http.Header
		trusted bool
		want    string
	}{
		{"trusted", http.Header{"X-Api-Key": {"k"}, "X-Plan": {"pro"}}, true, "plan key 3/s, fixed key"},
		{"not trusted", http.Header{"X-Api-Key": {"k"}, "X-Plan": {"pro"}}, false, "fixed ip"},
		{"no plan", http.Header{"X-Api-Key": {"k"}}, true, "fixed ip"},
		{"no such plan", http.Header{"X-Api-Key": {"k"}, "X-Plan": {"gold"}}, true, "fixed ip"},
		{"the client's line beside the proxy's", http.Header{"X-Api-Key": {"k"}, "X-Plan": {"pro", "free"}}, true, "fixed ip"},
		{"no key", http.Header{"X-Plan": {"pro"}}, true, "fixed ip"},
	} {
		if got := summary(p, Attributes{IP: ip1, Header: c.header, Trusted: c.trusted}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestKeySources(t *testing.T) {
	for _, c := range []struct{ source, header, value, want string }{
		{"header:x-token", "X-Token", "t", "t"},
		{"bearer", "Authorization", "Bearer t", "t"},
		{"bearer", "Authorization", "bearer  t ", "t"},
		{"bearer", "Authorization", "Basic t", ""},
		{"bearer", "Authorization", "Bearer", ""},
		{"bearer", "X-Api-Key", "t", ""},
	} {
		p := mustCompile(t, "clients: {key: "+c.source+"}\nlayers: [{name: a, by: client, limit: 1/s}]")
		want := "ip:203.0.113.1"
		if c.want != "" {
			want = p.Identity(c.want)
		}
		if got := identityOf(t, p, Attributes{IP: ip1, Header: http.Header{c.header: {c.value}}, Cost: 1}); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}
