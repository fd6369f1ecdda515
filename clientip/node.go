package clientip

import (
	"net/netip"
	"strings"
)

// maxNode bounds the text of one address with its brackets, zone and port: 45
// bytes of IPv6, 9 of brackets and port, the rest for a zone.
const maxNode = 128

// text is what the parsers read: a header's own string, or the unescaped copy
// of a quoted one, which must not become a string on the heap.
type text interface{ string | []byte }

// Peer reads an address as [net/http.Request.RemoteAddr] spells it:
// "203.0.113.7:5123", "[2001:db8::1]:443", "[fe80::1%eth0]:443"; the port may
// be missing, since some middleware drops it. ok is false where there is no
// address: "" or "@" for a Unix socket, a host name, an unspecified address.
func Peer(remoteAddr string) (addr netip.Addr, ok bool) {
	return parseNode(remoteAddr)
}

// parseNode reads an address that may carry brackets, a zone and a port. The
// unspecified addresses 0.0.0.0 and :: are nobody's, so they are refused.
func parseNode[T text](node T) (netip.Addr, bool) {
	addr, ok := parseHostPort(node)
	if !ok || addr.IsUnspecified() {
		return netip.Addr{}, false
	}
	return addr, true
}

func parseHostPort[T text](node T) (netip.Addr, bool) {
	if len(node) == 0 || len(node) > maxNode {
		return netip.Addr{}, false
	}
	colon := index(node, ':')
	switch {
	case node[0] == '[':
		return parseBracketed(node)
	case colon < 0:
		return parseIPv4(node)
	case index(node[colon+1:], ':') < 0: // IPv6 has two colons or more
		if !isPort(node[colon+1:]) {
			return netip.Addr{}, false
		}
		return parseIPv4(node[:colon])
	}
	return parseZoned(node)
}

func parseBracketed[T text](node T) (netip.Addr, bool) {
	end := index(node, ']')
	if end < 0 {
		return netip.Addr{}, false
	}
	if after := node[end+1:]; len(after) > 0 && (after[0] != ':' || !isPort(after[1:])) {
		return netip.Addr{}, false
	}
	return parseZoned(node[1:end])
}

// isPort: 1 to 5 digits, or the obfport of RFC 7239, section 6.3. Its value
// does not matter here.
func isPort[T text](port T) bool {
	if len(port) > 1 && port[0] == '_' {
		return all(port[1:], isObfuscated)
	}
	return 0 < len(port) && len(port) <= 5 && all(port, isDigit)
}

func parseZoned[T text](host T) (netip.Addr, bool) {
	if percent := index(host, '%'); percent >= 0 {
		zone := host[percent+1:]
		if len(zone) == 0 || !all(zone, isVisible) {
			return netip.Addr{}, false
		}
		host = host[:percent]
	}
	return parseIPv6(host)
}

func all[T text](s T, in func(byte) bool) bool {
	for i := range len(s) {
		if !in(s[i]) {
			return false
		}
	}
	return true
}

func index[T text](s T, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// trimBlanks drops the optional blanks of RFC 9110, section 5.6.3, and no
// other: a line break inside a header is an attack, not a blank.
func trimBlanks(s string) string { return strings.Trim(s, " \t") }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isObfuscated(c byte) bool {
	lower := c | 0x20
	return isDigit(c) || 'a' <= lower && lower <= 'z' || c == '.' || c == '_' || c == '-'
}
