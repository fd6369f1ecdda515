package httplimit

import (
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

func TestByIP(t *testing.T) {
	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	masks, err := clientip.NewMasks(24, 48)
	if err != nil {
		t.Fatal(err)
	}
	behind := Behind(clientip.Resolver{Trusted: trusted, Header: clientip.XForwardedFor})
	realIP := Behind(clientip.Resolver{Trusted: trusted, Header: clientip.XRealIP})
	for _, c := range []struct {
		name    string
		peer    string
		options []IPOption
		want    string
	}{
		{"IPv4", "203.0.113.7:5123", nil, "203.0.113.7"},
		{"IPv4 without a port", "203.0.113.7", nil, "203.0.113.7"},
		{"IPv4 in IPv6's spelling", "[::ffff:203.0.113.7]:5123", nil, "203.0.113.7"},
		{"IPv4 in IPv6's spelling, bare", "0:0:0:0:0:ffff:203.0.113.7", nil, "203.0.113.7"},
		{"IPv6", "[2001:db8:1:2:3::4]:5123", nil, "2001:db8:1:2::/64"},
		{"link-local", "[fe80::1%eth0]:5123", nil, "fe80::/64"},
		{"a Unix socket", "@", nil, ""},
		{"nothing", "", nil, ""},
		{"masks of one's own", "203.0.113.7:5123", []IPOption{Masked(masks)}, "203.0.113.0/24"},
		{"a header that nobody vouches for", "203.0.113.7:5123", []IPOption{behind}, "203.0.113.7"},
		{"behind a trusted proxy", "10.0.0.5:5123", []IPOption{behind}, "198.51.100.9"},
		{"behind one that sets X-Real-IP", "10.0.0.5:5123", []IPOption{realIP}, "192.0.2.1"},
		{"behind one whose address is as long", "10.100.100.5:5123", []IPOption{behind}, "198.51.100.9"},
		{"behind one, by its network", "10.0.0.5:5123", []IPOption{behind, Masked(masks)}, "198.51.100.0/24"},
		{"a proxy that is not named", "10.0.0.5:5123", nil, "10.0.0.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := with(with(from(""), "X-Forwarded-For", "192.0.2.1, 198.51.100.9"), "X-Real-IP", "192.0.2.1")
			r.RemoteAddr = c.peer
			if got, err := ByIP(c.options...)(r); got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// A credential is in no key, and in the library its key is what it is in a policy.
func TestCredentialsAreHashed(t *testing.T) {
	config := policy.DefaultConfig()
	for _, secret := range [][]byte{nil, []byte("a secret")} {
		compiled, _, err := config.Compile(policy.Options{Secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		r := with(with(from("203.0.113.7"), "X-API-Key", "k1"), "Authorization", "bearer  k1")
		want := compiled.Identity("k1")
		for name, key := range map[string]KeyFunc{"header": ByHeader("x-api-key", AnyValue, secret), "bearer": ByBearer(AnyValue, secret)} {
			got, err := key(r)
			if got != want || err != nil || strings.Contains(got, "k1") {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
			}
		}
	}
	if Hash(nil, "k1") == Hash([]byte("a secret"), "k1") {
		t.Error("the secret has no part in it")
	}
}
