package proxy

import (
	"net/http"
	"strings"
)

// Trailers come when the header has been judged and rewritten: what must not stand
// there must not come behind either.

// trailers gives the request that goes out a map of its own, which Read fills at
// the end of the body with those that pass.
func (u *upload) trailers(in, out *http.Request) {
	if len(in.Trailer) == 0 {
		out.Trailer = nil
		return
	}
	out.Trailer = http.Header{}
	for name := range in.Trailer { // announced
		if !reserved(name) {
			out.Trailer[name] = nil
		}
	}
	u.atEnd = func() {
		for name := range out.Trailer {
			out.Trailer[name] = in.Trailer[name]
		}
	}
}

// reserved are the fields of a request that say who asks, or how its body ends:
// a server that merges trailers with headers would believe them.
func reserved(name string) bool {
	switch http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-")) {
	case "Forwarded", "X-Real-Ip", "Host", "Authorization", "Cookie", "Connection", "Te", "Upgrade",
		"Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Transfer-Encoding", "Trailer", "Expect":
		return true
	}
	return strings.HasPrefix(strings.ToLower(strings.ReplaceAll(name, "_", "-")), "x-forwarded-")
}

// ownTrailers takes an upstream's announced trailers away that have the names of
// weir's fields.
func ownTrailers(trailer http.Header) {
	for name := range trailer {
		if own(name) {
			delete(trailer, name)
		}
	}
}

// dropOwn does so with those that httputil adds at the end, announced or not.
func (e *exchange) dropOwn() {
	header := e.Header()
	for name := range header {
		if trailer, found := strings.CutPrefix(name, http.TrailerPrefix); found && own(trailer) {
			delete(header, name)
		}
	}
}

func own(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "x-ratelimit-") || strings.HasPrefix(name, "ratelimit") ||
		strings.HasPrefix(name, "weir-") || name == "retry-after"
}
