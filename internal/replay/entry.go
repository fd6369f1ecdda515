package replay

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/weirhq/weir/clientip"
)

// entry is one request as a log tells it. Its texts are parts of the log's own
// text, which is overwritten once the entry was handed over.
type entry struct {
	at           int64      // µs since the Unix epoch
	ip           netip.Addr // the client's; the zero Addr where the log has none
	name         string     // a host name that stood where an address should
	peer         netip.Addr // the direct peer's, where the log tells it
	forwarded    []string   // X-Forwarded-For
	method, host string
	path         string // escaped, without query
	header       http.Header
}

// setClient takes an address in any of the spellings of logs: with or without a
// port, in brackets or not.
func (e *entry) setClient(text string) {
	if ip, err := netip.ParseAddr(text); err == nil {
		e.ip = ip.Unmap()
		return
	}
	if ip, ok := clientip.Peer(text); ok {
		e.ip = ip
		return
	}
	if text != "" && text != "-" && text != "unix:" {
		e.name = text
	}
}

// setClientPort takes an address that a port always follows. Without brackets an
// IPv6 address and its port look like another address.
func (e *entry) setClientPort(text string) {
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		text = strings.TrimSuffix(strings.TrimPrefix(text[:i], "["), "]")
	}
	e.setClient(text)
}

// setRequest takes a request line. What is none, such as "-" or the first bytes
// of a TLS handshake, is a request without a method for the path /.
func (e *entry) setRequest(line string) {
	method, rest, found := strings.Cut(line, " ")
	if !found || !isMethod(method) {
		return
	}
	e.method = method
	if i := strings.LastIndexByte(rest, ' '); i >= 0 && strings.HasPrefix(rest[i+1:], "HTTP/") {
		rest = rest[:i]
	}
	e.setTarget(rest)
}

// setTarget takes what is asked for: a path, or a whole URL.
func (e *entry) setTarget(target string) {
	if !strings.HasPrefix(target, "/") {
		_, rest, found := strings.Cut(target, "://")
		if !found {
			return
		}
		i := strings.IndexAny(rest, "/?")
		if i < 0 {
			e.host = rest
			return
		}
		e.host, target = rest[:i], rest[i:]
	}
	if i := strings.IndexByte(target, '?'); i >= 0 {
		target = target[:i]
	}
	e.path = unescape(target)
}

func isMethod(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return text != "" && text != "-"
}

// unescape undoes what servers do to bytes that would break their log: \xHH, \"
// and \\.
func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if text[i] == 'x' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			b.WriteByte(unhex(text[i+1])<<4 | unhex(text[i+2]))
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// set notes a header of the request. What a log writes for none is none.
func (e *entry) set(name, value string) {
	if value == "" || value == "-" {
		return
	}
	name = http.CanonicalHeaderKey(name)
	if name == "X-Forwarded-For" {
		e.forwarded = append(e.forwarded, value)
	}
	if e.header == nil {
		e.header = http.Header{}
	}
	e.header[name] = append(e.header[name], value)
}
