package policy

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// A reset hit nothing where a layer counts by anything but one address or key:
// whatever the layer counts by, its own keys are found.
func TestKeysAreThoseOfTheLayer(t *testing.T) {
	listed := "plans: {free: 5/s}\nclients: {plan: {k1: free, \"203.0.113.9\": free}}\n"
	all := Attributes{IP: ip1, Method: "GET", Host: "API.example.com:443", Path: "/", Cost: 1, Header: http.Header{
		"X-User": {"alice b|c"}, "Authorization": {"Bearer t"}, "X-Api-Key": {"k1"}}}
	for _, c := range []struct{ name, head, by, caller string }{
		{"a header's value", "", "header:X-User", "alice b|c"},
		{"a header as answers show it", "", "header:X-User", "header:X-User=alice%20b%7Cc"},
		{"a secret header's value", "", "header:Authorization", "Bearer t"},
		{"a header that was not sent", "", "header:X-None", "ip:203.0.113.1"},
		{"a method", "", "method", "GET"},
		{"a method as answers show it", "", "method", "method:GET"},
		{"a host", "", "host", "api.example.com"},
		{"a host as answers show it", "", "host", "host:api.example.com"},
		{"everybody", "", "all", "all"},
		{"an address", "", "ip", "203.0.113.1"},
		{"a listed key", listed, "client", "k1"},
		{"a believed key", "", "client", "k1"},
		{"several parts", "", "[ip, method]", "ip:203.0.113.1|method:GET"},
		{"all kinds of parts", "", "[ip, method, host, 'header:X-User']", "ip:203.0.113.1|method:GET|host:api.example.com|header:X-User=alice%20b%7Cc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t)
			p := mustCompile(t, c.head+"layers: [{name: a, by: "+c.by+", limit: 1/min}]")
			want(t, "before", e.admitted(p, 2, all), 1)
			keys, err := p.Keys("a", c.caller)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.store.Reset(context.Background(), keys); err != nil {
				t.Fatal(err)
			}
			want(t, "after the reset", e.admitted(p, 2, all), 1)
			shown := e.decide(p, all).Checks[0].Key.Identity
			if again, err := p.Keys("a", shown); err != nil || again[0].Identity != shown {
				t.Errorf("%q as answers show it: %v, %v", shown, again, err)
			}
		})
	}
}

// What no request can be counted as is an error, which does not repeat it.
func TestKeysOfNobody(t *testing.T) {
	listed := "plans: {free: 5/s}\nclients: {plan: {k1: free}}\n"
	const client = "write an API key (a listed one, if keys are listed), an address, or an identity as answers show it, such as key:…"
	for _, c := range []struct{ name, head, by, layer, caller, want string }{
		{"an address alone, of two parts", "", "[ip, method]", "a", "127.0.0.1", "layer a does not count by that: write all its parts, as answers show them: ip:203.0.113.7|method:GET"},
		{"parts in another order", "", "[ip, method]", "a", "method:GET|ip:127.0.0.1", "layer a does not count by that: write all its parts, as answers show them: ip:203.0.113.7|method:GET"},
		{"a key by address", "", "ip", "a", "secret", "layer a does not count by that: write an address, such as 203.0.113.7"},
		{"somebody of everybody", "", "all", "a", "secret", "layer a does not count by that: write all"},
		{"a key that is not listed", listed, "client", "a", "secret", "layer a does not count by that: " + client},
		{"no hash", "", "client", "a", "key:secret", "layer a does not count by that: " + client},
		{"a secret header, readable", "", "header:Authorization", "a", "header:Authorization=secret", "layer a does not count by that: write header:Authorization=~…"},
		{"an unknown method", "", "method", "a", "BREW", "layer a does not count by that: write a method, such as GET, or method:other for those that are not known"},
		{"ad hoc", "", "ip", "adhoc", "secret", "states of ad hoc checks are in no layer: each has its algorithm and period in its name, and these are not known here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys, err := mustCompile(t, c.head+"layers: [{name: a, by: "+c.by+", limit: 1/min}]").Keys(c.layer, c.caller)
			if err == nil || err.Error() != "policy: "+c.want {
				t.Errorf("got  %v, %v\nwant policy: %s", keys, err, c.want)
			}
		})
	}
}

// Keys could be guessed without limit: what a list or a rule about identities
// refuses charges the layers before it.
func TestDeniedRequestsAreCounted(t *testing.T) {
	const edge = "{name: edge, by: ip, limit: 3/h}"
	const plan = "plans: {free: 9/h}\nclients: {plan: {k1: free}, unknown: deny, missing: deny}\n"
	guess := Attributes{IP: ip1, Header: key("guess")}
	for _, c := range []struct {
		name, src string
		a         Attributes
		why       string
	}{
		{"unknown", plan + "layers: [" + edge + ", {name: gateway, by: client, limit: plan}]", guess, "gateway: unknown API key"},
		{"missing", plan + "layers: [" + edge + ", {name: gateway, by: client, limit: plan}]", Attributes{IP: ip1}, "gateway: no API key"},
		{"a layer's list", "layers: [" + edge + ", {name: gateway, by: client, limit: 9/h, deny: 'key:guess'}]", guess, "gateway: the caller is on the deny list"},
		{"an unknown address", "layers: [{name: edge, by: all, limit: 3/h}, {name: gateway, by: ip, limit: 9/h}]", Attributes{}, "gateway: the client's address is unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, p := newEngine(t), mustCompile(t, c.src)
			for i := range 3 {
				d := e.decide(p, c.a)
				if d.Allowed || d.Denied != c.why || d.RetryAfter != weir.Never || d.Refused != -1 || d.Tightest != 0 || len(d.Checks) != 1 || len(d.Results) != 1 {
					t.Fatalf("guess %d: %+v", i, d)
				}
				if r := d.Results[0]; !r.Charged || r.Remaining != int64(2-i) || r.ID != d.ID {
					t.Errorf("guess %d: %+v", i, r)
				}
			}
			if d := e.decide(p, c.a); d.Allowed || d.Denied != "" || refuser(d) != "edge" || d.RetryAfter <= 0 {
				t.Errorf("the fourth guess: %+v", d)
			}
			if n := e.store.Len(); n != 1 {
				t.Errorf("%d keys", n)
			}
		})
	}
}

// A denied request is refused: what is charged only for admitted ones is not, and
// the layers after the denying one are not asked.
func TestDeniedRequestsChargeByTheLayer(t *testing.T) {
	e := newEngine(t)
	p := mustCompile(t, `
plans: {free: 9/h}
clients: {plan: {k1: free}, unknown: deny}
layers:
  - {name: arriving, by: ip, limit: 9/h}
  - {name: admitted, by: ip, limit: 9/h, charge: admitted}
  - {name: independent, by: ip, limit: 9/h, charge: independent}
  - {name: shadow, by: ip, limit: 9/h, shadow: true}
  - {name: gateway, by: client, limit: plan}
  - {name: later, by: ip, limit: 9/h, charge: independent}
`)
	ask := func(peek bool) string {
		d := e.decide(p, Attributes{IP: ip1, Header: key("guess"), Peek: peek})
		if d.Denied != "gateway: unknown API key" {
			t.Fatalf("%+v", d)
		}
		var charged []string
		for i, r := range d.Results {
			if r.Charged && !d.Checks[i].Group.Shadow {
				charged = append(charged, d.Checks[i].Key.Layer)
			}
		}
		return strings.Join(charged, " ")
	}
	if got := ask(true); got != "" || e.store.Len() != 0 {
		t.Errorf("a peek charged %q, %d keys", got, e.store.Len())
	}
	if got := ask(false); got != "arriving independent" {
		t.Errorf("charged %q", got)
	}
}
