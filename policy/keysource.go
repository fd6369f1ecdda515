package policy

import (
	"net/http"
	"strings"
)

// keySource says where a request has its API key.
type keySource struct {
	header string // canonical
	bearer bool   // the header is Authorization, and the key follows "Bearer"
}

// headerPrefix marks the name of a header.
const headerPrefix = "header:"

func (k *compiler) keySource(text string) keySource {
	if text == "" {
		text = headerPrefix + "X-API-Key"
	}
	if text == "bearer" {
		return keySource{header: "Authorization", bearer: true}
	}
	header, ok := strings.CutPrefix(text, headerPrefix)
	if !ok || !isToken(header) {
		hint := "write header:NAME or bearer"
		if isToken(text) {
			hint = "did you mean header:" + text + "?"
		}
		k.fail("clients.key", hint, "clients.key is %q", text)
	}
	k.sent("clients.key", header, "choose another header")
	return keySource{header: http.CanonicalHeaderKey(header)}
}

// sent refuses headers that net/http takes out of http.Header, so that no request
// ever has them. instead says what to write for Host.
func (k *compiler) sent(path, header, instead string) {
	switch http.CanonicalHeaderKey(header) {
	case "Host":
		k.fail(path, instead, "no request has the header Host: it is the host")
	case "Transfer-Encoding", "Trailer":
		k.fail(path, "choose another header", "no request has the header %s: the server takes it out", http.CanonicalHeaderKey(header))
	}
}

// from takes the key; ok is false where there is none. Several lines are one
// text, as RFC 9110, section 5.3, has it, and so a key that nobody has listed: to
// believe one of them would let a caller choose which.
func (s keySource) from(h http.Header) (key string, ok bool) {
	lines := h[s.header]
	switch len(lines) {
	case 0:
		return "", false
	case 1:
		key = strings.Trim(lines[0], " \t")
	default:
		key = strings.Join(lines, ", ")
	}
	if s.bearer {
		scheme, token, _ := strings.Cut(key, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", false
		}
		key = strings.Trim(token, " \t")
	}
	return key, key != ""
}
