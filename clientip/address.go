package clientip

import "net/netip"

// The two parsers below accept exactly what [netip.ParseAddr] accepts, which
// is not used because its errors allocate: a header full of junk must not
// become garbage for the collector.

// parseIPv4 reads four decimal fields without leading zeros.
func parseIPv4[T text](s T) (netip.Addr, bool) {
	var b [4]byte
	for field := range b {
		if field > 0 {
			if len(s) == 0 || s[0] != '.' {
				return netip.Addr{}, false
			}
			s = s[1:]
		}
		value, digits := decimal(s)
		if digits == 0 || value > 255 {
			return netip.Addr{}, false
		}
		b[field], s = byte(value), s[digits:]
	}
	if len(s) > 0 {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4(b), true
}

// decimal reads up to three digits, and none after a leading zero, which some
// readers take for octal.
func decimal[T text](s T) (value, digits int) {
	for digits < min(3, len(s)) && isDigit(s[digits]) {
		value = value*10 + int(s[digits]-'0')
		digits++
		if value == 0 {
			break
		}
	}
	return value, digits
}

// parseIPv6 reads the forms of RFC 4291, section 2.2, without a zone, and
// unmaps an IPv4-mapped address.
func parseIPv6[T text](s T) (netip.Addr, bool) {
	g := groups{gap: -1}
	if len(s) >= 2 && s[0] == ':' && s[1] == ':' {
		g.gap, s = 0, s[2:]
	}
	for len(s) > 0 {
		value, digits := hexadecimal(s)
		rest := s[digits:]
		if len(rest) > 0 && rest[0] == '.' {
			return g.endIPv4(parseIPv4(s))
		}
		if digits == 0 || !g.add(value) {
			return netip.Addr{}, false
		}
		colons, ok := g.step(countColons(rest), len(rest))
		if !ok {
			return netip.Addr{}, false
		}
		s = rest[colons:]
	}
	return g.addr()
}

// groups is an IPv6 address as far as it has been read.
type groups struct {
	b   [16]byte
	n   int // bytes read
	gap int // how many of them stood before "::"; -1 without one
}

func (g *groups) add(value int) bool {
	if g.n == len(g.b) {
		return false
	}
	g.b[g.n], g.b[g.n+1] = byte(value>>8), byte(value)
	g.n += 2
	return true
}

// step goes from the end of a group to the next one, or to the end of the
// text: over nothing, ":", or the only "::". left is the length of the text
// from the colons on.
func (g *groups) step(colons, left int) (over int, ok bool) {
	switch {
	case left == 0:
		return 0, true
	case colons == 1:
		return 1, left > 1
	case colons == 2 && g.gap < 0:
		g.gap = g.n
		return 2, true
	}
	return 0, false
}

// endIPv4 takes the dotted tail of an address.
func (g *groups) endIPv4(tail netip.Addr, ok bool) (netip.Addr, bool) {
	if !ok {
		return netip.Addr{}, false
	}
	v4 := tail.As4()
	if !g.add(int(v4[0])<<8|int(v4[1])) || !g.add(int(v4[2])<<8|int(v4[3])) {
		return netip.Addr{}, false
	}
	return g.addr()
}

// addr fills the gap with zeros, at least one group of them.
func (g *groups) addr() (netip.Addr, bool) {
	if (g.n == len(g.b)) != (g.gap < 0) {
		return netip.Addr{}, false
	}
	if g.gap >= 0 {
		start := len(g.b) - (g.n - g.gap)
		copy(g.b[start:], g.b[g.gap:g.n])
		clear(g.b[g.gap:start])
	}
	return netip.AddrFrom16(g.b).Unmap(), true
}

func countColons[T text](s T) int {
	n := 0
	for n < len(s) && s[n] == ':' {
		n++
	}
	return n
}

// hexadecimal reads up to four digits.
func hexadecimal[T text](s T) (value, digits int) {
	for digits < min(4, len(s)) {
		c := s[digits]
		switch lower := c | 0x20; {
		case isDigit(c):
			value = value<<4 | int(c-'0')
		case 'a' <= lower && lower <= 'f':
			value = value<<4 | int(lower-'a'+10)
		default:
			return value, digits
		}
		digits++
	}
	return value, digits
}
