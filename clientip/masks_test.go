package clientip_test

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// Case B46, step by step, at the default /64: addresses in one group share a
// key, groups do not.
func TestB46Steps(t *testing.T) {
	tests := []struct {
		name   string
		groups [][]string
	}{
		{"rotation inside a /64", [][]string{
			{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"},
			{"2001:db8:1:3::1"},
		}},
		{"mapped spellings", [][]string{
			{"1.2.3.4", "::ffff:1.2.3.4", "::ffff:102:304", "::ffff:1.2.3.4%eth0"},
			{"::ffff:1.2.3.5", "1.2.3.5"},
		}},
		{"dotted tail of an ordinary address", [][]string{
			{"2001:db8:1:2::1.2.3.4", "2001:db8:1:2::1"},
			{"1.2.3.4"},
		}},
		{"NAT64", [][]string{
			{"64:ff9b::102:304", "64:ff9b::1.2.3.4", "64:FF9B:0:0::1.2.3.4%eth0"},
			{"64:ff9b::102:305"},
			{"1.2.3.4"}, // decided: not shared with the native address
			{"64:ff9b:1::102:304", "64:ff9b:1::102:305"},
			{"64:ff9b:0:0:1::102:304", "64:ff9b:0:0:1::102:305"},
		}},
		{"case and zeros", [][]string{
			{"2001:DB8:0:0::1", "2001:db8::1", "2001:0db8:0000:0000:0000:0000:0000:0001"},
		}},
		{"zones", [][]string{
			{"fe80::1%eth0", "fe80::1%eth0.100", "fe80::1"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			owner := map[string]int{}
			for group, addrs := range tt.groups {
				for _, text := range addrs {
					key := keyOf(t, clientip.Masks{}, netip.MustParseAddr(text))
					if first, taken := owner[key]; taken && first != group {
						t.Errorf("%s: key %q is that of %v", text, key, tt.groups[first])
					}
					owner[key] = group
				}
			}
			if len(owner) != len(tt.groups) {
				t.Errorf("%d keys for %d groups: %v", len(owner), len(tt.groups), owner)
			}
		})
	}
}

// Case B46, last step: bad prefix lengths are refused before any request of
// either family.
func TestB46BadPrefixLengths(t *testing.T) {
	tests := []struct {
		name       string
		ipv4, ipv6 int
		want       clientip.MaskError
	}{
		{"IPv6 129", 32, 129, clientip.MaskError{Family: "IPv6", Bits: 129, Max: 128}},
		{"IPv6 0", 32, 0, clientip.MaskError{Family: "IPv6", Bits: 0, Max: 128}},
		{"IPv6 -1", 32, -1, clientip.MaskError{Family: "IPv6", Bits: -1, Max: 128}},
		{"IPv6 256, which is 0 in a byte", 32, 256, clientip.MaskError{Family: "IPv6", Bits: 256, Max: 128}},
		{"IPv4 33", 33, 64, clientip.MaskError{Family: "IPv4", Bits: 33, Max: 32}},
		{"IPv4 0", 0, 64, clientip.MaskError{Family: "IPv4", Bits: 0, Max: 32}},
		{"IPv4 -1", -1, 64, clientip.MaskError{Family: "IPv4", Bits: -1, Max: 32}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := clientip.NewMasks(tt.ipv4, tt.ipv6)
			var bad *clientip.MaskError
			if !errors.As(err, &bad) || *bad != tt.want {
				t.Errorf("error %v, want %v", err, &tt.want)
			}
		})
	}
	err := &clientip.MaskError{Family: "IPv6", Bits: 129, Max: 128}
	if got, want := err.Error(), "clientip: IPv6 prefix length 129: want 1 to 128"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMasks(t *testing.T) {
	tests := []struct {
		ipv4, ipv6         int
		addr, network, key string
	}{
		{32, 64, "203.0.113.7", "203.0.113.7/32", "203.0.113.7"},
		{32, 64, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1:2::/64"},
		{32, 64, "64:ff9b::203.0.113.7", "64:ff9b::cb00:7107/128", "64:ff9b::cb00:7107"},
		{32, 64, "::1", "::/64", "::/64"},
		{24, 56, "203.0.113.7", "203.0.113.0/24", "203.0.113.0/24"},
		{24, 56, "::ffff:203.0.113.7", "203.0.113.0/24", "203.0.113.0/24"},
		{24, 56, "64:ff9b::203.0.113.7", "64:ff9b::cb00:7100/120", "64:ff9b::cb00:7100/120"},
		{24, 56, "2001:db8:1:2ff::1", "2001:db8:1:200::/56", "2001:db8:1:200::/56"},
		{1, 1, "203.0.113.7", "128.0.0.0/1", "128.0.0.0/1"},
		{1, 1, "ffff::1", "8000::/1", "8000::/1"},
		{32, 128, "2001:db8::1%eth0", "2001:db8::1/128", "2001:db8::1"},
		{32, 127, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			m, err := clientip.NewMasks(tt.ipv4, tt.ipv6)
			if err != nil {
				t.Fatal(err)
			}
			addr := netip.MustParseAddr(tt.addr)
			if got := m.Network(addr); got != netip.MustParsePrefix(tt.network) {
				t.Errorf("Network(%v) = %v, want %v", addr, got, tt.network)
			}
			if got := keyOf(t, m, addr); got != tt.key {
				t.Errorf("key of %v is %q, want %q", addr, got, tt.key)
			}
		})
	}
}

func TestMasksDefault(t *testing.T) {
	m, err := clientip.NewMasks(clientip.DefaultIPv4Bits, clientip.DefaultIPv6Bits)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"203.0.113.7", "2001:db8:1:2:3:4:5:6", "64:ff9b::1.2.3.4"} {
		addr := netip.MustParseAddr(text)
		if m.Network(addr) != (clientip.Masks{}).Network(addr) {
			t.Errorf("%v: the zero Masks is not the default", addr)
		}
	}
	if got := m.Network(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("the zero Addr has network %v", got)
	}
}

func TestAppendKeyKeepsWhatIsThere(t *testing.T) {
	got, ok := clientip.Masks{}.AppendKey([]byte("ip:"), netip.MustParseAddr("203.0.113.7"))
	if string(got) != "ip:203.0.113.7" || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	got, ok = clientip.Masks{}.AppendKey([]byte("ip:"), netip.Addr{})
	if string(got) != "ip:" || ok {
		t.Errorf("no address: %q, %v", got, ok)
	}
}

func keyOf(t testing.TB, m clientip.Masks, addr netip.Addr) string {
	t.Helper()
	key, ok := m.AppendKey(nil, addr)
	if !ok {
		t.Fatalf("%v has no key", addr)
	}
	return string(key)
}
