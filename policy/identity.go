package policy

import "strings"

// identity is whose requests the layer counts; ok is false where that takes an
// address and none is known.
func (r *request) identity(b *by) (identity string, ok bool) {
	if len(b.parts) == 1 {
		switch b.parts[0].kind {
		case "ip":
			return r.addressIdentity()
		case "client":
			return r.clientIdentity()
		case "all":
			return "all", true
		}
	}
	buf := make([]byte, 0, 128)
	for i := range b.parts {
		if i > 0 {
			buf = append(buf, '|')
		}
		if buf, ok = r.appendPart(buf, &b.parts[i]); !ok {
			return "", false
		}
	}
	return string(buf), true
}

func (r *request) appendPart(buf []byte, p *part) ([]byte, bool) {
	switch p.kind {
	case "client":
		identity, ok := r.clientIdentity()
		return append(buf, identity...), ok
	case "method":
		return append(append(buf, "method:"...), knownMethod(r.a.Method)...), true
	case "host":
		return r.appendText(append(buf, "host:"...), r.host()), true
	case "header":
		if lines := r.a.Header[p.header]; len(lines) > 0 {
			return r.appendHeader(buf, p, lines), true
		}
		// A request without the header is known by its address: one bucket for
		// all of them would let one caller shut out the others.
	}
	identity, ok := r.addressIdentity()
	return append(buf, identity...), ok
}

func (r *request) appendHeader(buf []byte, p *part, lines []string) []byte {
	buf = append(append(append(buf, headerPrefix...), p.header...), '=')
	value := lines[0]
	if len(lines) > 1 {
		value = strings.Join(lines, ", ")
	}
	if p.secret {
		return r.p.hash.Append(append(buf, '~'), value)
	}
	return r.appendText(buf, strings.Trim(value, " \t"))
}

// maxText is the longest text that stands in an identity as it is.
const maxText = 64

// appendText appends a caller's text so that no two texts meet: escaped, or
// hashed behind a "~" where it is long. An absent one is "()".
func (r *request) appendText(buf []byte, text string) []byte {
	switch {
	case text == "":
		return append(buf, "()"...)
	case len(text) > maxText:
		return r.p.hash.Append(append(buf, '~'), text)
	}
	for i := range len(text) {
		if c := text[i]; isPlain(c) {
			buf = append(buf, c)
		} else {
			buf = append(buf, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return buf
}

const hexDigits = "0123456789ABCDEF"

// isPlain: what stands for itself in an identity. Not "|", "%", "~", "(".
func isPlain(c byte) bool {
	lower := c | 0x20
	return 'a' <= lower && lower <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._:/@+=,[]", c) >= 0
}

// knownMethod bounds the number of methods: callers can invent them.
func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE":
		return method
	}
	return "other"
}

// addressIdentity is "ip:203.0.113.7" or "ip:2001:db8:1:2::/64".
func (r *request) addressIdentity() (string, bool) {
	if r.address == "" {
		var buf [64]byte
		text, ok := r.p.masks.AppendKey(append(buf[:0], addressPrefix...), r.a.IP)
		if !ok {
			return "", false
		}
		r.address = string(text)
	}
	return r.address, true
}

// clientIdentity is the API key's where one counts, else the address's.
func (r *request) clientIdentity() (string, bool) {
	if c := r.client(); c.identity != "" {
		return c.identity, true
	}
	return r.addressIdentity()
}

const addressPrefix = "ip:"

// keyIdentity is the identity of an API key.
func (p *Policy) keyIdentity(key string) string {
	return p.hash.Key(key)
}
