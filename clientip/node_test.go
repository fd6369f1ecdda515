package clientip_test

import (
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

func TestPeer(t *testing.T) {
	tests := []struct {
		name, remoteAddr, want string
	}{
		{"IPv4 and port", "203.0.113.7:5123", "203.0.113.7"},
		{"IPv6 and port", "[2001:db8::1]:443", "2001:db8::1"},
		{"zone", "[fe80::1%eth0]:443", "fe80::1"},
		{"dotted zone", "fe80::1%eth0.100", "fe80::1"},
		{"mapped, of a dual-stack listener", "[::ffff:203.0.113.7]:5123", "203.0.113.7"},
		{"mapped with zone", "[::ffff:203.0.113.7%eth0]:5123", "203.0.113.7"},
		{"port dropped by middleware", "203.0.113.7", "203.0.113.7"},
		{"bare IPv6", "2001:db8::1", "2001:db8::1"},
		{"bare IPv6 is never cut at its last colon", "2001:db8::1:443", "2001:db8::1:443"},
		{"brackets without port", "[2001:db8::1]", "2001:db8::1"},
		{"upper case", "[2001:DB8::A]:443", "2001:db8::a"},
		{"obfuscated port", "203.0.113.7:_p1", "203.0.113.7"},

		{"Unix socket", "@", ""},
		{"Unix socket without a name", "", ""},
		{"Unix socket as nginx spells it", "unix:", ""},
		{"host name", "localhost:80", ""},
		{"blank", " 203.0.113.7", ""},
		{"unspecified IPv4", "0.0.0.0:80", ""},
		{"unspecified IPv6", "[::]:80", ""},
		{"unspecified, mapped", "::ffff:0.0.0.0", ""},
		{"field above 255", "999.1.1.1", ""},
		{"leading zero", "203.0.113.07", ""},
		{"three fields", "203.0.113", ""},
		{"five fields", "203.0.113.7.7", ""},
		{"IPv4 with zone", "203.0.113.7%eth0", ""},
		{"IPv4 in brackets", "[203.0.113.7]:80", ""},
		{"empty zone", "fe80::1%", ""},
		{"line break in zone", "fe80::1%eth0\r\nx: y", ""},
		{"empty port", "203.0.113.7:", ""},
		{"long port", "203.0.113.7:123456", ""},
		{"port of letters", "203.0.113.7:http", ""},
		{"lone underscore as port", "203.0.113.7:_", ""},
		{"open bracket", "[2001:db8::1", ""},
		{"closing bracket only", "2001:db8::1]", ""},
		{"text after bracket", "[2001:db8::1]443", ""},
		{"two gaps", "2001::db8::1", ""},
		{"gap of nothing", "1:2:3:4::5:6:7:8", ""},
		{"nine groups", "1:2:3:4:5:6:7:8:9", ""},
		{"seven groups", "1:2:3:4:5:6:7", ""},
		{"group of five digits", "2001:db8::12345", ""},
		{"dotted tail too late", "1:2:3:4:5:6:7:1.2.3.4", ""},
		{"single colon at the end", "2001:db8::1:", ""},
		{"single colon at the start", ":1::", ""},
		{"three colons", "2001:::1", ""},
		{"overlong zone", "fe80::1%" + strings.Repeat("z", 200), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := addrOf(t, tt.want)
			got, ok := clientip.Peer(tt.remoteAddr)
			if got != want || ok != want.IsValid() {
				t.Errorf("Peer(%q) = %v, %v; want %v", tt.remoteAddr, got, ok, want)
			}
		})
	}
}
