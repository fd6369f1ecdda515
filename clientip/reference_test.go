package clientip_test

import (
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// reference is Resolve for a trusted peer, written to be read and not to be
// fast: it splits, copies, backtracks and leaves addresses to net/netip.
func reference(r clientip.Resolver, peer netip.Addr, lines []string) (netip.Addr, clientip.Outcome) {
	elements := strings.Split(strings.Join(lines, ","), ",")
	parse := func(element string) (netip.Addr, bool) { return referenceNode(strings.Trim(element, " \t")) }
	switch r.Header {
	case clientip.Forwarded:
		elements, parse = referenceForwarded(lines), referenceElement
	case clientip.XRealIP:
		elements = []string{strings.Join(lines, ",")}
	}
	slices.Reverse(elements)

	hop, length := peer, 0
	for i, element := range elements {
		addr, ok := parse(element)
		length += len(element)
		if !ok || i == clientip.MaxHops || length > clientip.MaxBytes {
			return hop, clientip.Junk
		}
		length++
		if hop = addr; !r.Trusted.Contains(hop) {
			return hop, clientip.Found
		}
	}
	return hop, clientip.AllTrusted
}

var (
	bracketed = regexp.MustCompile(`^\[([^\]]*:[^\]]*)\](:([0-9]{1,5}|_[A-Za-z0-9._-]+))?$`)
	dotted    = regexp.MustCompile(`^([0-9.]+):([0-9]{1,5}|_[A-Za-z0-9._-]+)$`)
	zoned     = regexp.MustCompile(`^([^%]*:[^%]*)%[!-~]+$`)
)

func referenceNode(node string) (netip.Addr, bool) {
	if len(node) > 128 {
		return netip.Addr{}, false
	}
	for _, form := range []*regexp.Regexp{bracketed, dotted} {
		if m := form.FindStringSubmatch(node); m != nil {
			node = m[1]
			break
		}
	}
	if m := zoned.FindStringSubmatch(node); m != nil {
		node = m[1]
	}
	if strings.Contains(node, "%") {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(node)
	addr = addr.Unmap()
	if err != nil || addr.IsUnspecified() {
		return netip.Addr{}, false
	}
	return addr, true
}

const (
	quotedString = `"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[^\x00-\x08\x0a-\x1f\x7f])*"`
	bareValue    = "[!#-+\\-.-:<-\\[\\]-~]+"
	forwardPair  = "([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(" + quotedString + "|" + bareValue + ")"
	blanks       = `[ \t]*`
)

var (
	onePair    = regexp.MustCompile(forwardPair)
	wellFormed = regexp.MustCompile(`^` + blanks + `(?:` + forwardPair + `)?(?:` + blanks + `;` + blanks + `(?:` + forwardPair + `)?)*` + blanks + `$`)
	quotedPair = regexp.MustCompile(`(?s)\\(.)`)
)

// referenceForwarded cuts each line into elements by another idea than the
// scanner's: the last element is the shortest well-formed text after a comma.
// Where there is none, the rest is one broken element.
func referenceForwarded(lines []string) []string {
	var elements []string
	for _, line := range slices.Backward(lines) {
		for more := true; more; {
			start := lastElement(line)
			elements = append(elements, line[start:])
			more = start > 0
			line = line[:max(0, start-1)]
		}
	}
	slices.Reverse(elements)
	return elements
}

func lastElement(line string) int {
	for start := len(line); start > 0; start-- {
		if line[start-1] == ',' && wellFormed.MatchString(line[start:]) {
			return start
		}
	}
	return 0
}

func referenceElement(element string) (netip.Addr, bool) {
	if !wellFormed.MatchString(element) {
		return netip.Addr{}, false
	}
	var values []string
	for _, m := range onePair.FindAllStringSubmatch(element, -1) {
		if strings.EqualFold(m[1], "for") {
			values = append(values, m[2])
		}
	}
	if len(values) != 1 {
		return netip.Addr{}, false
	}
	value := values[0]
	if strings.HasPrefix(value, `"`) {
		value = quotedPair.ReplaceAllString(value[1:len(value)-1], "$1")
	}
	return referenceNode(value)
}

// words make headers that are mostly nearly right.
var words = []string{
	"203.0.113.7", "203.0.113.7:5123", "[2001:db8::1]:443", "2001:db8::1", "fe80::1%eth0.100", "::ffff:203.0.113.8",
	"10.0.0.7", "10.0.0.8:80", "[2001:db8:ffff::7]", "::ffff:10.0.0.9", "2001:db8:ffff::9%x",
	"unknown", "_hid", "999.1.1.1", "0.0.0.0", "", "\r\n", "\xff", "1", "::", ":", ".", "%",
}

var glue = []string{" ", "\t", ",", ";", "=", `"`, `\`, "[", "]", "for=", "for", "by=", `proto="a,b"`}

func randomLines(rng *rand.Rand, header clientip.Source) []string {
	lines := make([]string, 1+rng.IntN(3))
	for i := range lines {
		var line strings.Builder
		for range rng.IntN(5) {
			element := words[rng.IntN(len(words))]
			if rng.IntN(2) == 0 {
				element = words[rng.IntN(11)]
			}
			if header == clientip.Forwarded {
				element = randomElement(rng, element)
			}
			if rng.IntN(6) == 0 {
				at := rng.IntN(len(element) + 1)
				element = element[:at] + glue[rng.IntN(len(glue))] + element[at:]
			}
			line.WriteString(element)
			line.WriteString([]string{",", ", ", " ,\t", ",", ",", ""}[rng.IntN(6)])
		}
		lines[i] = line.String()
		if rng.IntN(3) > 0 {
			lines[i] = strings.TrimRight(lines[i], ", \t")
		}
	}
	return lines
}

func randomElement(rng *rand.Rand, address string) string {
	pairs := []string{"for=" + address}
	if rng.IntN(3) > 0 {
		pairs[0] = `For="` + address + `"`
	}
	for range rng.IntN(3) {
		pairs = append(pairs, []string{"proto=http", `by="a,b"`, `host="x\";for=1.1.1.1, for=\\"`, "", "FOR=1.1.1.1"}[rng.IntN(5)])
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return strings.Join(pairs, ";")
}

func TestResolveAgainstReference(t *testing.T) {
	const rounds = 10_000
	for _, header := range []clientip.Source{clientip.XForwardedFor, clientip.Forwarded, clientip.XRealIP} {
		t.Run(header.String(), func(t *testing.T) {
			r := trusting(t, header)
			rng := rand.New(rand.NewPCG(47, uint64(header)))
			seen := map[clientip.Outcome]int{}
			for range rounds {
				lines := randomLines(rng, header)
				if header == clientip.XRealIP {
					lines = lines[:1]
				}
				got, outcome := r.Resolve(proxy, lines)
				want, wantOutcome := reference(r, proxy, lines)
				if got != want || outcome != wantOutcome {
					t.Fatalf("Resolve(%q) = %v, %v; the reference says %v, %v", lines, got, outcome, want, wantOutcome)
				}
				seen[outcome]++
			}
			for _, outcome := range []clientip.Outcome{clientip.Found, clientip.AllTrusted, clientip.Junk} {
				if seen[outcome] < rounds/100 {
					t.Errorf("%v came up %d times in %d: the set-up does not test it", outcome, seen[outcome], rounds)
				}
			}
		})
	}
}

// Address text, changed at random, against net/netip.
func TestPeerAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 9))
	good := 0
	const rounds = 40_000
	for range rounds {
		text := []byte(words[rng.IntN(11)])
		if rng.IntN(2) == 0 {
			text = randomIPv6(rng)
		}
		for range rng.IntN(3) {
			text[rng.IntN(len(text))] = "0123456789abcfF::..[]%_x"[rng.IntN(24)]
		}
		got, ok := clientip.Peer(string(text))
		want, wantOK := referenceNode(string(text))
		if got != want || ok != wantOK {
			t.Fatalf("Peer(%q) = %v, %v; the reference says %v, %v", text, got, ok, want, wantOK)
		}
		if ok {
			good++
		}
	}
	if good < rounds/10 || good > rounds*9/10 {
		t.Errorf("%d of %d were addresses: the set-up tests only one answer", good, rounds)
	}
}

// randomIPv6 joins about eight groups, about one of them empty, and sometimes
// a dotted tail.
func randomIPv6(rng *rand.Rand) []byte {
	groups := make([]string, 5+rng.IntN(5))
	for i := range groups {
		groups[i] = []string{"0", "1", "db8", "ffff", "00aB", "00000"}[min(rng.IntN(6), rng.IntN(6))]
	}
	if rng.IntN(3) > 0 {
		at := rng.IntN(len(groups))
		groups[at] = ""
	}
	if rng.IntN(3) == 0 {
		groups[len(groups)-1] = "1.2.3.4"
	}
	text := strings.Join(groups, ":")
	if rng.IntN(5) == 0 {
		text = "::" + text
	}
	if rng.IntN(5) == 0 {
		text += "::"
	}
	return []byte(text)
}
