package policy

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// identityOf is the identity that a layer counts the request by.
func identityOf(t *testing.T, p *Policy, a Attributes) string {
	t.Helper()
	checks, denied := p.Resolve(&a, nil)
	if denied != "" {
		return "denied: " + denied
	}
	if len(checks) == 0 {
		return "skipped"
	}
	return checks[0].Key.Identity
}

func byLayer(by string) string {
	return "layers: [{name: a, by: [" + by + "], limit: 1/s, match: {path: [/, /a/]}}]\n"
}

func TestIdentity(t *testing.T) {
	four, six := netip.MustParseAddr("203.0.113.7"), netip.MustParseAddr("2001:db8:1:2:3::4")
	long := strings.Repeat("t", 65)
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return base64.RawURLEncoding.EncodeToString(sum[:16])
	}
	for _, c := range []struct {
		name, by string
		a        Attributes
		want     string
	}{
		{"address", "ip", Attributes{IP: four}, "ip:203.0.113.7"},
		{"IPv6 network", "ip", Attributes{IP: six}, "ip:2001:db8:1:2::/64"},
		{"IPv4-mapped", "ip", Attributes{IP: netip.MustParseAddr("::ffff:203.0.113.7")}, "ip:203.0.113.7"},
		{"no address", "ip", Attributes{}, "denied: a: the client's address is unknown"},
		{"key", "client", Attributes{IP: four, Header: key("k1")}, "key:" + hash("k1")},
		{"key without address", "client", Attributes{Header: key("k1")}, "key:" + hash("k1")},
		{"blanks around a key", "client", Attributes{IP: four, Header: key(" k1\t")}, "key:" + hash("k1")},
		{"empty key", "client", Attributes{IP: four, Header: key(" ")}, "ip:203.0.113.7"},
		{"two keys", "client", Attributes{IP: four, Header: http.Header{"X-Api-Key": {"k1", "k2"}}}, "key:" + hash("k1, k2")},
		{"no key", "client", Attributes{IP: four}, "ip:203.0.113.7"},
		{"neither", "client", Attributes{}, "denied: a: the client's address is unknown"},
		{"everybody", "all", Attributes{}, "all"},
		{"route alone", "route", Attributes{}, "all"},
		{"client and route", "client, route", Attributes{Header: key("k1")}, "key:" + hash("k1")},
		{"method", "ip, method", Attributes{IP: four, Method: "GET"}, "ip:203.0.113.7|method:GET"},
		{"invented method", "ip, method", Attributes{IP: four, Method: "BREW"}, "ip:203.0.113.7|method:other"},
		{"host", "host", Attributes{Host: "API.example.com.:443"}, "host:api.example.com"},
		{"no host", "host", Attributes{}, "host:()"},
		{"host named so", "host", Attributes{Host: "()"}, "host:%28%29"},
		{"long host", "host", Attributes{Host: long}, "host:~" + hash(long)},
		{"host named as a hash", "host", Attributes{Host: "~" + hash(long)}, "host:%7E" + strings.ToLower(hash(long))},
		{"header", "header:x-tenant", Attributes{IP: four, Header: http.Header{"X-Tenant": {"acme corp|x"}}}, "header:X-Tenant=acme%20corp%7Cx"},
		{"header with a break", "header:X-Tenant", Attributes{IP: four, Header: http.Header{"X-Tenant": {"a\r\nb"}}}, "header:X-Tenant=a%0D%0Ab"},
		{"empty header", "header:X-Tenant", Attributes{IP: four, Header: http.Header{"X-Tenant": {""}}}, "header:X-Tenant=()"},
		{"long header", "header:X-Tenant", Attributes{IP: four, Header: http.Header{"X-Tenant": {long}}}, "header:X-Tenant=~" + hash(long)},
		{"two lines", "header:X-Tenant", Attributes{IP: four, Header: http.Header{"X-Tenant": {"a", "b"}}}, "header:X-Tenant=a,%20b"},
		{"credential", "header:Authorization", Attributes{IP: four, Header: http.Header{"Authorization": {"Bearer t"}}}, "header:Authorization=~" + hash("Bearer t")},
		{"no header: the address", "header:X-Tenant", Attributes{IP: four}, "ip:203.0.113.7"},
		{"no header and no address", "header:X-Tenant", Attributes{}, "denied: a: the client's address is unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.a.Cost = 1
			if got := identityOf(t, mustCompile(t, byLayer(c.by)), c.a); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func key(k string) http.Header { return http.Header{"X-Api-Key": {k}} }

// No two tuples of parts have one identity, whatever callers write into them.
func TestIdentitiesDoNotCollide(t *testing.T) {
	p := mustCompile(t, byLayer("header:A, header:B, host"))
	texts := []string{"", "a", "b", "|", "a|", "|a", "%", "%7C", "a%7Ca", "()", "~", "header:B=a", "a|header:B=a", "ip:203.0.113.7", "host:a", "\x00", "é", strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("a", 66)}
	seen := map[string]string{}
	for _, a := range texts {
		for _, b := range texts {
			for _, host := range texts {
				tuple := fmt.Sprintf("%q %q %q", a, b, host)
				identity := identityOf(t, p, Attributes{IP: netip.MustParseAddr("203.0.113.7"), Host: host, Header: http.Header{"A": {a}, "B": {b}}, Cost: 1})
				if other, twice := seen[identity]; twice {
					t.Fatalf("%s and %s are both %q", tuple, other, identity)
				}
				seen[identity] = tuple
				if strings.ContainsAny(identity, "\x00\r\n ") || len(identity) > 400 {
					t.Fatalf("%s is %q", tuple, identity)
				}
			}
		}
	}
}

// unknown_ip: skip leaves the layer out; nothing ends in a bucket without a name.
func TestUnknownAddressSkips(t *testing.T) {
	p := mustCompile(t, "unknown_ip: skip\n"+byLayer("ip"))
	if got := identityOf(t, p, Attributes{Cost: 1}); got != "skipped" {
		t.Error(got)
	}
}

// Identity finds the identity that requests have, from what a person knows.
func TestIdentityByHand(t *testing.T) {
	p := mustCompile(t, "plans: {free: 1/s}\nclients: {plan: {\"192.0.2.1\": free, k1: free}}\n"+byLayer("client"))
	for in, want := range map[string]string{
		"203.0.113.7":             "ip:203.0.113.7",
		"ip:203.0.113.7":          "ip:203.0.113.7",
		"2001:db8:1:2:3::4":       "ip:2001:db8:1:2::/64",
		"ip:2001:db8:1:2::/64":    "ip:2001:db8:1:2::/64",
		"::ffff:203.0.113.7":      "ip:203.0.113.7",
		"192.0.2.1":               p.keyIdentity("192.0.2.1"), // a listed key that looks like an address
		"k1":                      p.keyIdentity("k1"),
		"k2":                      p.keyIdentity("k2"),
		p.keyIdentity("k1"):       p.keyIdentity("k1"),
		"all":                     "all",
		"host:api.example.com":    "host:api.example.com",
		"header:X-Tenant=a|ip:::": "header:X-Tenant=a|ip:::",
	} {
		if got := p.Identity(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
