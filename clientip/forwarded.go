package clientip

import (
	"net/netip"
	"strings"
)

// parseForwarded gives the address of one forwarded-element of RFC 7239: its
// only for= parameter. No such parameter, two of them, an obfuscated
// identifier, "unknown" or broken syntax is false.
//
// Laxer than the RFC where proxies are: blanks may surround ";", and an
// address with colons or brackets may stand without quotes.
func parseForwarded(element string) (addr netip.Addr, ok bool) {
	for more := true; more; {
		var next pair
		next, element, more = cutPair(element)
		named := strings.EqualFold(next.name, "for")
		if next.bad || named && ok {
			return netip.Addr{}, false
		}
		if !named {
			continue
		}
		if addr, ok = next.node(); !ok {
			return netip.Addr{}, false
		}
	}
	return addr, ok
}

// pair is one name=value, or nothing at all, which the RFC allows between
// semicolons.
type pair struct {
	name    string
	value   string // without its quotes, escapes still in place
	escapes bool
	bad     bool // not in the grammar
}

// cutPair takes the first pair off an element; more says that a semicolon
// followed it. Three results, here and below, in the manner of [strings.Cut].
func cutPair(element string) (first pair, rest string, more bool) {
	element = trimBlanks(element)
	name := prefixOf(element, isToken)
	if name == "" {
		rest, more, ok := cutSemicolon(element)
		return pair{bad: !ok}, rest, more
	}
	after, ok := strings.CutPrefix(element[len(name):], "=")
	if !ok {
		return pair{bad: true}, "", false
	}
	first, rest = cutValue(after)
	first.name = name
	rest, more, ok = cutSemicolon(rest)
	first.bad = first.bad || !ok
	return first, rest, more
}

// cutSemicolon steps over the end of a pair: nothing, or blanks and ";".
func cutSemicolon(text string) (rest string, more, ok bool) {
	text = trimBlanks(text)
	if text == "" {
		return "", false, true
	}
	rest, ok = strings.CutPrefix(text, ";")
	return rest, ok, ok
}

func cutValue(text string) (first pair, rest string) {
	if strings.HasPrefix(text, `"`) {
		return cutQuoted(text)
	}
	value := prefixOf(text, isBare)
	return pair{value: value, bad: value == ""}, text[len(value):]
}

// cutQuoted reads a quoted-string of RFC 9110, section 5.6.4.
func cutQuoted(text string) (first pair, rest string) {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			first.value = text[1:i]
			return first, text[i+1:]
		case c == '\\':
			first.escapes = true
			i++
			if i == len(text) || !isQuotable(text[i]) {
				return pair{bad: true}, ""
			}
		case !isQuotable(c):
			return pair{bad: true}, ""
		}
	}
	return pair{bad: true}, ""
}

// node reads the value as an address. No address needs an escape, but a
// recipient must take them (RFC 9110, section 5.6.4); a fixed array keeps that
// off the heap.
func (p pair) node() (netip.Addr, bool) {
	if !p.escapes {
		return parseNode(p.value)
	}
	var plain [maxNode]byte
	n := 0
	for i := 0; i < len(p.value); i++ {
		if p.value[i] == '\\' {
			i++
		}
		if n == len(plain) {
			return netip.Addr{}, false
		}
		plain[n] = p.value[i]
		n++
	}
	return parseNode(plain[:n])
}

func prefixOf(text string, in func(byte) bool) string {
	n := 0
	for n < len(text) && in(text[n]) {
		n++
	}
	return text[:n]
}

// isToken: tchar of RFC 9110, section 5.6.2.
func isToken(c byte) bool {
	return isVisible(c) && strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) < 0
}

// isBare: what a value without quotes may hold. "=" is left to other
// parameters, whose values are not read.
func isBare(c byte) bool {
	return isVisible(c) && strings.IndexByte(`",;\`, c) < 0
}

func isQuotable(c byte) bool {
	return isVisible(c) || c == ' ' || c == '\t' || c >= 0x80
}

func isVisible(c byte) bool { return '!' <= c && c <= '~' }
