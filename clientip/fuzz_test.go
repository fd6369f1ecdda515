package clientip_test

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// stepsB47 are the values of case B47, the long ones cut, which seed every
// target.
var stepsB47 = []string{
	"203.0.113.7:5123", "[2001:db8::1]:443", "2001:db8::1", "fe80::1%eth0.100", " 203.0.113.7 ", "unknown", "_hid",
	"999.1.1.1", "", strings.Repeat("a", 300), "203.0.113.7\r\nx: y", strings.Repeat(",", 100),
}

// maxFuzzed bounds a header: the reference takes quadratic time on purpose.
// What is longer than the bounds is in the tables.
const maxFuzzed = 1 << 10

func FuzzPeer(f *testing.F) {
	for _, step := range stepsB47 {
		f.Add(step)
	}
	f.Add("::ffff:1.2.3.4")
	f.Add("1:2:3:4:5:6:1.2.3.4")
	f.Add("1::8")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := clientip.Peer(text)
		if want, wantOK := referenceNode(text); got != want || ok != wantOK {
			t.Errorf("Peer(%q) = %v, %v; want %v, %v", text, got, ok, want, wantOK)
		}
		checkCanonical(t, got)
		checkNoAllocs(t, func() { clientip.Peer(text) })
	})
}

func FuzzXForwardedFor(f *testing.F) {
	for _, step := range stepsB47 {
		f.Add(step)
		f.Add("1.1.1.1, " + step + ", 10.0.0.8")
	}
	f.Add("203.0.113.7\n\n10.0.0.9, 10.0.0.8")
	fuzzHeader(f, clientip.XForwardedFor, "203.0.113.99")
}

func FuzzForwarded(f *testing.F) {
	for _, step := range stepsB47 {
		f.Add("for=" + step)
		f.Add(`for=1.1.1.1, for="` + step + `";by=_x, for=10.0.0.8`)
	}
	f.Add(`for="\1.2.3.4";by="a,b;\"c\\"` + "\nfor=10.0.0.8")
	fuzzHeader(f, clientip.Forwarded, `proto=https;by="a,b\"";for="203.0.113.99:80"`)
}

func FuzzXRealIP(f *testing.F) {
	for _, step := range stepsB47 {
		f.Add(step)
	}
	r := trusting(f, clientip.XRealIP)
	f.Fuzz(func(t *testing.T, line string) {
		checkHeader(t, r, []string{line})
	})
}

// fuzzHeader takes a header of several lines. added is an element of
// 203.0.113.99, as our proxy would append it.
func fuzzHeader(f *testing.F, header clientip.Source, added string) {
	r := trusting(f, header)
	client := netip.MustParseAddr("203.0.113.99")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxFuzzed {
			return
		}
		lines := strings.Split(text, "\n")
		checkHeader(t, r, lines)

		// Whatever the client sent, it is who our proxy says.
		for _, forged := range [][]string{append(lines, added), {text + "," + added}, {text + " , " + added}} {
			if got, outcome := r.Resolve(proxy, forged); got != client || outcome != clientip.Found {
				t.Errorf("Resolve(%q) = %v, %v; want %v", forged, got, outcome, client)
			}
		}
	})
}

func checkHeader(t *testing.T, r clientip.Resolver, lines []string) {
	t.Helper()
	got, outcome := r.Resolve(proxy, lines)
	if want, wantOutcome := reference(r, proxy, lines); got != want || outcome != wantOutcome {
		t.Errorf("Resolve(%q) = %v, %v; want %v, %v", lines, got, outcome, want, wantOutcome)
	}
	if got != proxy && !literallyIn(lines, got) {
		t.Errorf("Resolve(%q) = %v: neither the peer nor in the header", lines, got)
	}
	if trusted := r.Trusted.Contains(got); trusted == (outcome == clientip.Found) {
		t.Errorf("Resolve(%q) = %v, %v: trusted is %v", lines, got, outcome, trusted)
	}
	checkCanonical(t, got)
	checkNoAllocs(t, func() { r.Resolve(proxy, lines) })
	if got, outcome := r.Resolve(stranger, lines); got != stranger || outcome != clientip.Ignored {
		t.Errorf("from a stranger, Resolve(%q) = %v, %v", lines, got, outcome)
	}
}

var addressText = regexp.MustCompile(`[0-9A-Fa-f:.]+`)

func literallyIn(lines []string, want netip.Addr) bool {
	text := strings.ReplaceAll(strings.Join(lines, "\n"), `\`, "")
	for _, word := range addressText.FindAllString(text, -1) {
		if host, ok := referenceNode(word); ok && host == want {
			return true
		}
		// "]:443" leaves a colon on the address, "203.0.113.7:_x" too.
		if host, ok := referenceNode(strings.TrimSuffix(word, ":")); ok && host == want {
			return true
		}
	}
	return false
}

func checkCanonical(t *testing.T, addr netip.Addr) {
	t.Helper()
	if addr.Is4In6() || addr.Zone() != "" || addr.IsValid() && addr.IsUnspecified() {
		t.Errorf("%v is not canonical", addr)
	}
}

// checkNoAllocs averages over enough calls that an allocation of the fuzzing
// engine beside them rounds down to none.
func checkNoAllocs(t *testing.T, call func()) {
	t.Helper()
	if n := testing.AllocsPerRun(20, call); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParsePrefixes(f *testing.F) {
	for _, text := range []string{"10.0.0.0/8", "10.0.0.5", "::ffff:10.0.0.0/104", "::ffff:10.0.0.0/8", "::/0", "fe80::1%eth0", "", "10.0.0.0/33", "0.0.0.0/0,10.0.0.0/8"} {
		f.Add(text, []byte{10, 0, 0, 5})
		f.Add(text, netip.MustParseAddr("fe80::1").AsSlice())
	}
	f.Fuzz(func(t *testing.T, list string, raw []byte) {
		p, err := clientip.ParsePrefixes(strings.Split(list, ","))
		if err != nil {
			return
		}
		if again, err := clientip.ParsePrefixes(strings.Split(p.String(), ",")); err != nil || again.String() != p.String() {
			t.Errorf("%q: canonical form %q is read as %q, %v", list, p, again, err)
		}
		addr, _ := netip.AddrFromSlice(raw)
		want := false
		for text := range strings.SplitSeq(p.String(), ", ") {
			want = want || netip.MustParsePrefix(text).Contains(addr.Unmap())
		}
		if got := p.Contains(addr); got != want {
			t.Errorf("%q contains %v: %v, want %v", list, addr, got, want)
		}
		checkNoAllocs(t, func() { p.Contains(addr) })
	})
}

func FuzzParseSource(f *testing.F) {
	for _, text := range []string{"none", "X-Forwarded-For", "FORWARDED", "x-real-ip", "", "xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		source, err := clientip.ParseSource(text)
		if (err == nil) != strings.EqualFold(source.String(), text) {
			t.Errorf("ParseSource(%q) = %v, %v", text, source, err)
		}
	})
}

func FuzzMasks(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, 32, 64)
	for _, text := range []string{"2001:db8:1:2::1", "::ffff:1.2.3.4", "64:ff9b::1.2.3.4", "::1"} {
		f.Add(netip.MustParseAddr(text).AsSlice(), 24, 48)
	}
	f.Add([]byte{}, 0, 129)
	f.Fuzz(func(t *testing.T, raw []byte, ipv4, ipv6 int) {
		m, err := clientip.NewMasks(ipv4, ipv6)
		if good := 1 <= ipv4 && ipv4 <= 32 && 1 <= ipv6 && ipv6 <= 128; good != (err == nil) {
			t.Fatalf("NewMasks(%d, %d): %v", ipv4, ipv6, err)
		}
		addr, ok := netip.AddrFromSlice(raw)
		buf := make([]byte, 0, clientip.MaxKeyLen)
		key, keyed := m.AppendKey(buf, addr)
		if keyed != ok || ok != (len(key) > 0) || len(key) > clientip.MaxKeyLen {
			t.Fatalf("key of %v is %q, %v", addr, key, keyed)
		}
		checkNoAllocs(t, func() { m.AppendKey(buf, addr) })
		if !ok {
			return
		}
		network := m.Network(addr)
		if !network.Contains(addr.Unmap()) || network != network.Masked() {
			t.Errorf("%v is not the masked network of %v", network, addr)
		}
		// A network around the NAT64 prefix begins with NAT64 addresses, which
		// have keys of their own.
		around := network.Overlaps(netip.MustParsePrefix("64:ff9b::/96")) && network.Bits() < 96
		if again := keyOf(t, m, network.Addr()); !around && again != string(key) {
			t.Errorf("%v has key %q, its network %v has %q", addr, key, network, again)
		}
	})
}
