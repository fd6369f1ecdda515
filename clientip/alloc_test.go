package clientip_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// paths are the hot paths: what one request costs, good headers and bad.
func paths(t testing.TB) map[string]func() {
	xff, forwarded, real := trusting(t, clientip.XForwardedFor), trusting(t, clientip.Forwarded), trusting(t, clientip.XRealIP)
	resolve := func(r clientip.Resolver, want clientip.Outcome, lines ...string) func() {
		if _, got := r.Resolve(proxy, lines); got != want {
			t.Fatalf("%v %.80q: %v, want %v", r.Header, lines, got, want)
		}
		return func() { r.Resolve(proxy, lines) }
	}
	buf := make([]byte, 0, clientip.MaxKeyLen)
	key := func(text string) func() {
		addr := netip.MustParseAddr(text)
		return func() { clientip.Masks{}.AppendKey(buf, addr) }
	}
	return map[string]func(){
		"peer":                func() { clientip.Peer("[2001:db8::1%eth0]:443") },
		"peer/junk":           func() { clientip.Peer("@") },
		"xff":                 resolve(xff, clientip.Found, "1.1.1.1, 203.0.113.7, 10.0.0.8"),
		"xff/lines":           resolve(xff, clientip.Found, "[2001:db8::1%eth0]:443", "10.0.0.9,10.0.0.8"),
		"xff/junk":            resolve(xff, clientip.Junk, "999.1.1.1"),
		"xff/1MB":             resolve(xff, clientip.Junk, strings.Repeat("1", 1<<20)),
		"forwarded":           resolve(forwarded, clientip.Found, `for="[2001:db8::1]:443";proto=https, for=10.0.0.8;by="a,b"`),
		"forwarded/escapes":   resolve(forwarded, clientip.Found, `for="\[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff\]:443"`),
		"forwarded/junk":      resolve(forwarded, clientip.Junk, `for="_hidden"`),
		"forwarded/1MB":       resolve(forwarded, clientip.Junk, strings.Repeat(`\"`, 1<<19)),
		"xrealip":             resolve(real, clientip.Found, "203.0.113.7"),
		"key/IPv4":            key("::ffff:203.0.113.7"),
		"key/IPv6":            key("2001:db8:1:2:3:4:5:6%eth0"),
		"key/NAT64":           key("64:ff9b::203.0.113.7"),
		"key/without address": func() { clientip.Masks{}.AppendKey(buf, netip.Addr{}) },
	}
}

func TestNoAllocations(t *testing.T) {
	for name, path := range paths(t) {
		t.Run(name, func(t *testing.T) {
			if n := testing.AllocsPerRun(100, path); n != 0 {
				t.Errorf("%v allocations, want 0", n)
			}
		})
	}
}

func BenchmarkHotPaths(b *testing.B) {
	for name, path := range paths(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				path()
			}
		})
	}
}
