package clientip

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Prefixes is a compiled set of address ranges, such as the proxies that are
// trusted. The zero value contains nothing.
type Prefixes struct {
	// sorted holds masked prefixes that do not overlap, IPv4 before IPv6, so
	// that one binary search decides: CDN lists run to hundreds of ranges.
	sorted []netip.Prefix
}

// PrefixError reports the first text of a list that [ParsePrefixes] refused.
type PrefixError struct {
	// Index is the position of Text in the list, from 0.
	Index int
	// Text is the refused text as it was given.
	Text string
	// Err says what is wrong with it.
	Err error
}

// Error names the text, its position and what is wrong with it.
func (e *PrefixError) Error() string {
	return fmt.Sprintf("clientip: prefix [%d] %q: %v", e.Index, e.Text, e.Err)
}

// Unwrap returns Err.
func (e *PrefixError) Unwrap() error { return e.Err }

// ParsePrefixes compiles a list of CIDR prefixes ("10.0.0.0/8") and bare
// addresses ("10.0.0.5"). Blanks around a text are ignored, bits past the
// prefix length are dropped, and IPv4-mapped spellings ("::ffff:10.0.0.0/104")
// become IPv4. A family is trusted only where it is written: "::/0" holds no
// IPv4 address. The error is a *[PrefixError].
func ParsePrefixes(texts []string) (Prefixes, error) {
	parsed := make([]netip.Prefix, 0, len(texts))
	for i, text := range texts {
		prefix, err := parsePrefix(strings.TrimSpace(text))
		if err != nil {
			return Prefixes{}, &PrefixError{Index: i, Text: text, Err: err}
		}
		parsed = append(parsed, prefix)
	}
	return Prefixes{sorted: disjoint(parsed)}, nil
}

// parsePrefix has its own words for what netip reports: those name a function
// and repeat the text, and a person with a config file reads them.
func parsePrefix(text string) (netip.Prefix, error) {
	addrText, _, sized := strings.Cut(text, "/")
	addr, err := netip.ParseAddr(addrText)
	switch {
	case err != nil:
		return netip.Prefix{}, errors.New("not an IP address or a prefix of one")
	case addr.Zone() != "":
		// Zones are dropped before a lookup, so trusting one link of several
		// is nothing that could be kept.
		return netip.Prefix{}, errors.New("has a zone: write the address without it")
	case !sized:
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("prefix length: want 0 to %d", addr.BitLen())
	}
	return unmapPrefix(prefix)
}

// unmapPrefix refuses a mapped prefix of fewer than 96 bits:
// "::ffff:10.0.0.0/8" was meant as 10.0.0.0/8, but says ::/8.
func unmapPrefix(prefix netip.Prefix) (netip.Prefix, error) {
	if !prefix.Addr().Is4In6() {
		return prefix.Masked(), nil
	}
	if prefix.Bits() < 96 {
		return netip.Prefix{}, errors.New("IPv4-mapped with fewer than 96 bits: write the IPv4 prefix")
	}
	return prefix.Addr().Unmap().Prefix(prefix.Bits() - 96)
}

// disjoint sorts the prefixes and drops those inside another. Two prefixes
// either nest or do not meet, so what is left does not overlap.
func disjoint(prefixes []netip.Prefix) []netip.Prefix {
	slices.SortFunc(prefixes, func(a, b netip.Prefix) int {
		return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
	kept := prefixes[:0]
	for _, prefix := range prefixes {
		if len(kept) == 0 || !kept[len(kept)-1].Overlaps(prefix) {
			kept = append(kept, prefix)
		}
	}
	return kept
}

// Contains reports whether addr, in any spelling and with or without a zone,
// lies in one of the ranges. The zero Addr lies in none.
func (p Prefixes) Contains(addr netip.Addr) bool {
	if len(p.sorted) == 0 {
		return false
	}
	addr = canonical(addr)
	after, found := slices.BinarySearchFunc(p.sorted, addr, func(prefix netip.Prefix, addr netip.Addr) int {
		return prefix.Addr().Compare(addr)
	})
	return found || after > 0 && p.sorted[after-1].Contains(addr)
}

// String lists the ranges in canonical form: sorted, masked, without those
// inside another, separated by ", ". The zero value gives "".
func (p Prefixes) String() string {
	texts := make([]string, len(p.sorted))
	for i, prefix := range p.sorted {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ", ")
}
