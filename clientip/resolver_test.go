package clientip_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// Case B47, one line per step: trusted peer 10.0.0.5, one value.
func TestB47Steps(t *testing.T) {
	tests := []struct {
		name, value, want string
		outcome           clientip.Outcome
	}{
		{"port", "203.0.113.7:5123", "203.0.113.7", clientip.Found},
		{"brackets and port", "[2001:db8::1]:443", "2001:db8::1", clientip.Found},
		{"bare IPv6", "2001:db8::1", "2001:db8::1", clientip.Found},
		{"zone", "fe80::1%eth0.100", "fe80::1", clientip.Found},
		{"blanks", " 203.0.113.7 ", "203.0.113.7", clientip.Found},
		{"tabs", "\t203.0.113.7\t ", "203.0.113.7", clientip.Found},
		{"unknown", "unknown", "10.0.0.5", clientip.Junk},
		{"hidden", "_hid", "10.0.0.5", clientip.Junk},
		{"field above 255", "999.1.1.1", "10.0.0.5", clientip.Junk},
		{"empty", "", "10.0.0.5", clientip.Junk},
		{"blanks only", "  \t", "10.0.0.5", clientip.Junk},
		{"10 kB of text", strings.Repeat("a", 10<<10), "10.0.0.5", clientip.Junk},
		{"10 kB of digits", strings.Repeat("1", 10<<10), "10.0.0.5", clientip.Junk},
		{"10 kB of colons", strings.Repeat(":", 10<<10), "10.0.0.5", clientip.Junk},
		{"10 kB of zone", "fe80::1%" + strings.Repeat("z", 10<<10), "10.0.0.5", clientip.Junk},
		{"10 kB of blanks", strings.Repeat(" ", 10<<10) + "203.0.113.7", "10.0.0.5", clientip.Junk},
		{"CR LF after", "203.0.113.7\r\n", "10.0.0.5", clientip.Junk},
		{"CR LF inside", "203.0.113.7\r\nX-Evil: 1", "10.0.0.5", clientip.Junk},
		{"NUL", "203.0.113.7\x00", "10.0.0.5", clientip.Junk},
		{"500 commas", strings.Repeat(",", 500), "10.0.0.5", clientip.Junk},
		{"500 commas before", strings.Repeat(",", 500) + "203.0.113.7", "203.0.113.7", clientip.Found},
		{"500 commas after", "203.0.113.7" + strings.Repeat(",", 500), "10.0.0.5", clientip.Junk},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, trusting(t, clientip.XForwardedFor), proxy, []string{tt.value}, tt.want, tt.outcome)

			key, ok := clientip.Masks{}.AppendKey(nil, addrOf(t, tt.want))
			if !ok || len(key) == 0 || len(key) > clientip.MaxKeyLen {
				t.Errorf("key %q, %v: want 1 to %d bytes", key, ok, clientip.MaxKeyLen)
			}
		})
	}
}

// Case B47's steps in the other two headers.
func TestB47StepsElsewhere(t *testing.T) {
	tests := []struct {
		name, address, want string
		outcome             clientip.Outcome
	}{
		{"port", "203.0.113.7:5123", "203.0.113.7", clientip.Found},
		{"brackets and port", "[2001:db8::1]:443", "2001:db8::1", clientip.Found},
		{"bare IPv6", "2001:db8::1", "2001:db8::1", clientip.Found},
		{"zone", "fe80::1%eth0.100", "fe80::1", clientip.Found},
		{"unknown", "unknown", "10.0.0.5", clientip.Junk},
		{"hidden", "_hid", "10.0.0.5", clientip.Junk},
		{"field above 255", "999.1.1.1", "10.0.0.5", clientip.Junk},
		{"empty", "", "10.0.0.5", clientip.Junk},
		{"10 kB", strings.Repeat("a", 10<<10), "10.0.0.5", clientip.Junk},
		{"CR LF", "203.0.113.7\r\n", "10.0.0.5", clientip.Junk},
		{"500 commas", strings.Repeat(",", 500), "10.0.0.5", clientip.Junk},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, trusting(t, clientip.XRealIP), proxy, []string{tt.address}, tt.want, tt.outcome)
			check(t, trusting(t, clientip.Forwarded), proxy, []string{"for=" + tt.address}, tt.want, tt.outcome)
			check(t, trusting(t, clientip.Forwarded), proxy, []string{`for="` + tt.address + `"`}, tt.want, tt.outcome)
		})
	}
}

func TestWalk(t *testing.T) {
	many := func(n int) []string { return slices.Repeat([]string{"10.0.0.7"}, n) }
	tests := []struct {
		name    string
		lines   []string
		want    string
		outcome clientip.Outcome
	}{
		{"no header", nil, "10.0.0.5", clientip.Absent},
		{"the proxy's own addition", []string{"203.0.113.7"}, "203.0.113.7", clientip.Found},
		{"spoofed left part", []string{"1.1.1.1, 203.0.113.7"}, "203.0.113.7", clientip.Found},
		{"spoofed trusted left part", []string{"10.1.1.1, 203.0.113.7"}, "203.0.113.7", clientip.Found},
		{"spoofed junk left part", []string{"\"', ,;;unknown, 203.0.113.7"}, "203.0.113.7", clientip.Found},
		{"two proxies", []string{"1.1.1.1, 203.0.113.7, 10.0.0.9, 10.0.0.8"}, "203.0.113.7", clientip.Found},
		{"trusted IPv6 hop", []string{"203.0.113.7, 2001:db8:ffff::8"}, "203.0.113.7", clientip.Found},
		{"trusted mapped hop", []string{"203.0.113.7, ::ffff:10.0.0.8"}, "203.0.113.7", clientip.Found},
		{"trusted hop with port", []string{"203.0.113.7, 10.0.0.8:4711"}, "203.0.113.7", clientip.Found},
		{"all trusted", []string{"10.0.0.1, 10.0.0.2"}, "10.0.0.1", clientip.AllTrusted},
		{"junk after trusted hops", []string{"203.0.113.7, unknown, 10.0.0.9, 10.0.0.8"}, "10.0.0.9", clientip.Junk},
		{"empty element between", []string{"203.0.113.7, , 10.0.0.8"}, "10.0.0.8", clientip.Junk},
		{"empty element at the end", []string{"203.0.113.7,"}, "10.0.0.5", clientip.Junk},
		{"empty element at the start", []string{",10.0.0.8"}, "10.0.0.8", clientip.Junk},

		{"lines are one list", []string{"203.0.113.7", "10.0.0.9, 10.0.0.8"}, "203.0.113.7", clientip.Found},
		{"spoofed first line", []string{"1.1.1.1, 10.0.0.1", "203.0.113.7"}, "203.0.113.7", clientip.Found},
		{"all lines trusted", []string{"10.0.0.1", "10.0.0.2"}, "10.0.0.1", clientip.AllTrusted},
		{"last line empty", []string{"203.0.113.7", ""}, "10.0.0.5", clientip.Junk},
		{"first line empty", []string{"", "10.0.0.8"}, "10.0.0.8", clientip.Junk},
		{"first line empty but not reached", []string{"", "203.0.113.7"}, "203.0.113.7", clientip.Found},

		{"client at the last hop examined", append([]string{"203.0.113.7"}, many(clientip.MaxHops-1)...), "203.0.113.7", clientip.Found},
		{"client one hop beyond", append([]string{"203.0.113.7"}, many(clientip.MaxHops)...), "10.0.0.7", clientip.Junk},
		{"hops in one line", []string{strings.Join(append([]string{"203.0.113.7"}, many(clientip.MaxHops)...), ",")}, "10.0.0.7", clientip.Junk},
		{"full of trusted hops", many(clientip.MaxHops), "10.0.0.7", clientip.AllTrusted},
		{"last byte examined", []string{padded("203.0.113.7", clientip.MaxBytes)}, "203.0.113.7", clientip.Found},
		{"one byte beyond", []string{padded("203.0.113.7", clientip.MaxBytes+1)}, "10.0.0.5", clientip.Junk},
		{"one byte beyond, before more", []string{"1.1.1.1," + padded("203.0.113.7", clientip.MaxBytes+1)}, "10.0.0.5", clientip.Junk},
		{"last byte examined, before more", []string{"1.1.1.1," + padded("203.0.113.7", clientip.MaxBytes)}, "203.0.113.7", clientip.Found},
		{"bytes used up by a hop", []string{"203.0.113.7", padded("10.0.0.7", clientip.MaxBytes)}, "10.0.0.7", clientip.Junk},
		{"separators count: last byte", []string{"203.0.113.7," + padded("10.0.0.7", clientip.MaxBytes-len("203.0.113.7,"))}, "203.0.113.7", clientip.Found},
		{"separators count: one beyond", []string{"203.0.113.7," + padded("10.0.0.7", clientip.MaxBytes-len("203.0.113.7"))}, "10.0.0.7", clientip.Junk},
		{"line ends count: last byte", []string{"203.0.113.7", padded("10.0.0.7", clientip.MaxBytes-len("203.0.113.7,"))}, "203.0.113.7", clientip.Found},
		{"line ends count: one beyond", []string{"203.0.113.7", padded("10.0.0.7", clientip.MaxBytes-len("203.0.113.7"))}, "10.0.0.7", clientip.Junk},
		{"bytes used up, nothing left", []string{padded("10.0.0.7", clientip.MaxBytes)}, "10.0.0.7", clientip.AllTrusted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, trusting(t, clientip.XForwardedFor), proxy, tt.lines, tt.want, tt.outcome)
		})
	}
}

func padded(address string, length int) string {
	return strings.Repeat(" ", length-len(address)) + address
}

func TestPeerDecidesWhetherTheHeaderCounts(t *testing.T) {
	headers := map[clientip.Source][]string{
		clientip.XForwardedFor: {"203.0.113.7"},
		clientip.Forwarded:     {"for=203.0.113.7"},
		clientip.XRealIP:       {"203.0.113.7"},
	}
	for source, lines := range headers {
		t.Run(source.String(), func(t *testing.T) {
			r := trusting(t, source)
			check(t, r, stranger, lines, stranger.String(), clientip.Ignored)
			check(t, r, stranger, nil, stranger.String(), clientip.Direct)
			check(t, r, proxy, lines, "203.0.113.7", clientip.Found)
			check(t, r, proxy, nil, proxy.String(), clientip.Absent)

			// Other spellings of a trusted peer are the same peer.
			check(t, r, netip.MustParseAddr("::ffff:10.0.0.5"), lines, "203.0.113.7", clientip.Found)
			check(t, r, netip.MustParseAddr("2001:db8:ffff::5%eth0"), lines, "203.0.113.7", clientip.Found)
			check(t, r, netip.MustParseAddr("::ffff:10.0.0.5"), nil, "10.0.0.5", clientip.Absent)

			// Nobody is trusted by default.
			check(t, clientip.Resolver{Header: source}, proxy, lines, proxy.String(), clientip.Ignored)
			check(t, clientip.Resolver{Header: source}, netip.MustParseAddr("fe80::1%eth0"), lines, "fe80::1", clientip.Ignored)
		})
	}
	t.Run("no header believed", func(t *testing.T) {
		lines := []string{"203.0.113.7"}
		check(t, trusting(t, clientip.None), proxy, lines, proxy.String(), clientip.Direct)
		check(t, trusting(t, clientip.Source(200)), proxy, lines, proxy.String(), clientip.Direct)
		check(t, clientip.Resolver{}, proxy, lines, proxy.String(), clientip.Direct)
	})
}

func TestUnixPeer(t *testing.T) {
	r := trusting(t, clientip.XForwardedFor)
	check(t, r, netip.Addr{}, []string{"203.0.113.7"}, "", clientip.Ignored)
	check(t, r, netip.Addr{}, nil, "", clientip.Direct)

	r.TrustUnix = true
	check(t, r, netip.Addr{}, []string{"1.1.1.1, 203.0.113.7"}, "203.0.113.7", clientip.Found)
	check(t, r, netip.Addr{}, []string{"unknown"}, "", clientip.Junk)
	check(t, r, netip.Addr{}, nil, "", clientip.Absent)
	check(t, r, stranger, []string{"203.0.113.7"}, stranger.String(), clientip.Ignored)
}

func TestSingleAddressHeader(t *testing.T) {
	r := trusting(t, clientip.XRealIP)
	check(t, r, proxy, []string{" 203.0.113.7 "}, "203.0.113.7", clientip.Found)
	check(t, r, proxy, []string{"10.0.0.77"}, "10.0.0.77", clientip.AllTrusted)
	check(t, r, proxy, []string{"203.0.113.7, 1.1.1.1"}, proxy.String(), clientip.Junk)
	check(t, r, proxy, []string{"203.0.113.7", "203.0.113.7"}, proxy.String(), clientip.Junk)
}

// Case B33, third step: a list of proxies is set, the peer is direct and there
// is no header. The caller's key is the peer, never the empty string.
func TestB33DirectPeerWithoutHeader(t *testing.T) {
	client, outcome := trusting(t, clientip.XForwardedFor).Resolve(stranger, nil)
	key, ok := clientip.Masks{}.AppendKey(nil, client)
	if string(key) != "198.51.100.9" || !ok || outcome != clientip.Direct {
		t.Errorf("key %q, %v, %v; want the peer's", key, ok, outcome)
	}
	if key, ok := (clientip.Masks{}).AppendKey(nil, netip.Addr{}); ok || len(key) > 0 {
		t.Errorf("no address: key %q, %v; want none, and false", key, ok)
	}
}

func TestOutcomeString(t *testing.T) {
	want := []string{"direct", "ignored", "absent", "found", "all_trusted", "junk", "outcome(6)"}
	for i, text := range want {
		if got := clientip.Outcome(i).String(); got != text {
			t.Errorf("Outcome(%d) = %q, want %q", i, got, text)
		}
	}
}

func check(t *testing.T, r clientip.Resolver, peer netip.Addr, lines []string, want string, outcome clientip.Outcome) {
	t.Helper()
	client, got := r.Resolve(peer, lines)
	if client != addrOf(t, want) || got != outcome {
		t.Errorf("%v: Resolve(%v, %.80q) = %v, %v; want %s, %v", r.Header, peer, lines, client, got, want, outcome)
	}
}
