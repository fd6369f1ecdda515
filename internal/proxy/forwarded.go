package proxy

import (
	"net/http"
	"strings"
)

// tellClient says for whom the request is forwarded: X-Forwarded-For, -Host and
// -Proto, and X-Real-IP. What a trusted proxy said of that is kept and added to;
// what anybody else said is replaced, and their other X-Forwarded fields go. The
// header is httputil's, which took Forwarded and the first three out before:
// Forwarded does not come back, for where X-Forwarded-For is believed it may be
// the client's own.
func (e *exchange) tellClient(header http.Header) {
	for name := range header {
		if lookalike(name) || !e.trusted && strings.HasPrefix(name, "X-Forwarded-") {
			delete(header, name)
		}
	}
	values := new([4]string)
	set := func(i int, name, value string) {
		values[i] = value
		header[name] = values[i : i+1 : i+1]
	}
	set(0, "X-Forwarded-Host", e.kept("X-Forwarded-Host", e.in.Host))
	set(1, "X-Forwarded-Proto", e.kept("X-Forwarded-Proto", scheme(e.in)))
	delete(header, "X-Real-Ip")
	if !e.peer.IsValid() {
		return
	}
	peer := e.peer.String()
	set(2, "X-Forwarded-For", e.chain(peer))
	if client := peer; e.client == e.peer {
		set(3, "X-Real-Ip", client)
	} else {
		set(3, "X-Real-Ip", e.client.String())
	}
}

// chain is the list of hops with the peer at its end.
func (e *exchange) chain(peer string) string {
	lines := e.in.Header["X-Forwarded-For"]
	if !e.trusted || len(lines) == 0 {
		return peer
	}
	return strings.Join(lines, ", ") + ", " + peer
}

// kept is a trusted proxy's word, or our own. Of two lines one may be the
// client's.
func (e *exchange) kept(name, own string) string {
	if lines := e.in.Header[name]; e.trusted && len(lines) == 1 && lines[0] != "" {
		return lines[0]
	}
	return own
}

// lookalike tells names that become one of ours where an upstream turns hyphens
// into underscores, as CGI and WSGI do.
func lookalike(name string) bool {
	if !strings.Contains(name, "_") {
		return false
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return strings.HasPrefix(name, "x-forwarded-") || name == "x-real-ip"
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
