package clientip_test

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

func TestPrefixes(t *testing.T) {
	tests := []struct {
		name, texts, canonical string
		in, out                string // addresses, space-separated
	}{
		{"nothing", "", "", "", "127.0.0.1 ::1 0.0.0.0"},
		{"prefix", "10.0.0.0/8", "10.0.0.0/8", "10.0.0.0 10.255.255.255 ::ffff:10.1.2.3", "9.255.255.255 11.0.0.0 ::10.0.0.1 64:ff9b::10.0.0.1"},
		{"address", "10.0.0.5", "10.0.0.5/32", "10.0.0.5 ::ffff:10.0.0.5", "10.0.0.4 10.0.0.6"},
		{"IPv6 address", "2001:DB8::0:5", "2001:db8::5/128", "2001:db8::5", "2001:db8::4"},
		{"mapped address", "::ffff:10.0.0.5", "10.0.0.5/32", "10.0.0.5 ::ffff:a00:5", "10.0.0.4"},
		{"mapped prefix", "::ffff:10.0.0.0/104", "10.0.0.0/8", "10.1.2.3", "11.0.0.0"},
		{"host bits", "192.168.1.77/24", "192.168.1.0/24", "192.168.1.1", "192.168.2.1"},
		{"blanks", " 10.0.0.0/8\t", "10.0.0.0/8", "10.0.0.1", ""},
		{"link-local with any zone", "fe80::/10", "fe80::/10", "fe80::1 fe80::1%eth0", "fec0::1"},
		{"nested and equal", "10.1.0.0/16,10.0.0.0/8,10.0.0.0/8,10.0.0.0/9", "10.0.0.0/8", "10.1.0.1 10.200.0.1", "11.0.0.1"},
		{"both families", "2001:db8::/32,10.0.0.0/8,::1", "10.0.0.0/8, ::1/128, 2001:db8::/32", "10.0.0.1 ::1 2001:db8:1::", "::2 1.1.1.1"},
		{"all of IPv4", "0.0.0.0/0", "0.0.0.0/0", "0.0.0.0 255.255.255.255 ::ffff:1.2.3.4", "::1"},
		{"all of IPv6 is no IPv4", "::/0", "::/0", "::1 ffff::", "1.2.3.4 ::ffff:1.2.3.4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var texts []string
			if tt.texts != "" {
				texts = strings.Split(tt.texts, ",")
			}
			p, err := clientip.ParsePrefixes(texts)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.String(); got != tt.canonical {
				t.Errorf("String() = %q, want %q", got, tt.canonical)
			}
			for _, text := range strings.Fields(tt.in) {
				if !p.Contains(netip.MustParseAddr(text)) {
					t.Errorf("%s is not in %v", text, p)
				}
			}
			for _, text := range strings.Fields(tt.out) {
				if p.Contains(netip.MustParseAddr(text)) {
					t.Errorf("%s is in %v", text, p)
				}
			}
			if p.Contains(netip.Addr{}) {
				t.Error("the zero Addr is in the set")
			}
		})
	}
	if (clientip.Prefixes{}).Contains(netip.MustParseAddr("127.0.0.1")) {
		t.Error("the zero Prefixes contains something")
	}
}

func TestPrefixError(t *testing.T) {
	tests := []struct{ text, says string }{
		{"", "not an IP address"},
		{"localhost", "not an IP address"},
		{"10.0.0", "not an IP address"},
		{"10.0.0.0-10.0.0.9", "not an IP address"},
		{"010.0.0.1", "not an IP address"},
		{"/8", "not an IP address"},
		{"10.0.0.0/", "0 to 32"},
		{"10.0.0.0/33", "0 to 32"},
		{"10.0.0.0/-1", "0 to 32"},
		{"10.0.0.0/08", "0 to 32"},
		{"10.0.0.0/8/8", "0 to 32"},
		{"2001:db8::/129", "0 to 128"},
		{"10.0.0.0/255.0.0.0", "0 to 32"},
		{"fe80::1%eth0", "zone"},
		{"fe80::%eth0/64", "zone"},
		{"::ffff:10.0.0.0/8", "fewer than 96"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			p, err := clientip.ParsePrefixes([]string{"10.0.0.0/8", tt.text, "worse"})
			var bad *clientip.PrefixError
			if !errors.As(err, &bad) {
				t.Fatalf("error %v, want a *PrefixError", err)
			}
			if bad.Index != 1 || bad.Text != tt.text || !strings.Contains(bad.Err.Error(), tt.says) {
				t.Errorf("%v: want index 1, text %q, and %q", err, tt.text, tt.says)
			}
			if errors.Unwrap(err) != bad.Err || !strings.HasPrefix(err.Error(), "clientip: prefix [1] ") {
				t.Errorf("%v: want the place and the cause", err)
			}
			if p.Contains(netip.MustParseAddr("10.0.0.1")) {
				t.Error("a refused list contains something")
			}
		})
	}
}

// Contains against a scan of the list as it was written.
func TestPrefixesAgainstLinearScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 1))
	hits := 0
	for range 300 {
		var texts []string
		var all []netip.Prefix
		for range rng.IntN(40) {
			addr := randomAddr(rng)
			prefix := netip.PrefixFrom(addr, rng.IntN(addr.BitLen()+1))
			all = append(all, prefix)
			texts = append(texts, prefix.String())
		}
		p, err := clientip.ParsePrefixes(texts)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			addr, want := randomAddr(rng), false
			for _, prefix := range all {
				want = want || prefix.Contains(addr)
			}
			if got := p.Contains(addr); got != want {
				t.Fatalf("%v contains %v: %v, want %v", texts, addr, got, want)
			}
			if want {
				hits++
			}
		}
	}
	if hits < 3000 || hits > 27000 {
		t.Errorf("%d of 30000 look-ups hit: the set-up tests only one answer", hits)
	}
}

// randomAddr is from a small space, so that prefixes nest and look-ups hit.
func randomAddr(rng *rand.Rand) netip.Addr {
	b := [16]byte{0: 0x20, 1: byte(rng.IntN(4)) << 6, 7: byte(rng.IntN(3)), 15: byte(rng.IntN(4))}
	if rng.IntN(2) == 0 {
		return netip.AddrFrom16(b)
	}
	return netip.AddrFrom4([4]byte{10, byte(rng.IntN(4)) << 6, byte(rng.IntN(3)), byte(rng.IntN(256))})
}
