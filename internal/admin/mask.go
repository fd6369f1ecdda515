package admin

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/weirhq/weir/httplimit"
)

// maskIdentity leaves enough of an identity to tell callers apart on a page, and
// too little to name them. What is no caller, such as a method, stays.
func maskIdentity(identity string) string {
	parts := strings.Split(identity, "|")
	for i, part := range parts {
		parts[i] = maskPart(part)
	}
	return strings.Join(parts, "|")
}

const shownOfKey = 8 // bytes, and never more than half

func maskPart(part string) string {
	if part == "all" || strings.HasPrefix(part, "method:") || strings.HasPrefix(part, "host:") {
		return part
	}
	at := strings.IndexAny(part, ":=") + 1
	if strings.HasPrefix(part, "header:") {
		at = strings.IndexByte(part, '=') + 1
	}
	value := part[at:]
	return part[:at] + strings.ToValidUTF8(value[:min(shownOfKey, len(value)/2)], "") + "…"
}

// shower shows identities as a request may see them.
type shower func(identity string) string

// shows reads ?full=1, which needs the admin token: without one anybody on this
// machine could ask.
func (p *port) shows(w http.ResponseWriter, r *http.Request) (shower, bool) {
	switch full := r.URL.Query().Get("full"); {
	case full == "" || full == "0":
		return maskIdentity, true
	case full != "1":
		httplimit.NewProblem(http.StatusBadRequest, "full is 0 or 1.").Write(w)
	case p.options.Token == "":
		httplimit.NewProblem(http.StatusForbidden, "Keys are shown in full only where an admin token is set: WEIR_ADMIN_TOKEN.").Write(w)
	default:
		return shownInFull, true
	}
	return nil, false
}

func shownInFull(identity string) string { return identity }

// number reads a number of the query that has a default and a bound.
func number(w http.ResponseWriter, r *http.Request, name string, fallback, most int) (int, bool) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, true
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' || n > most {
			n = 0
			break
		}
		n = n*10 + int(c-'0')
	}
	if n < 1 || n > most {
		httplimit.NewProblem(http.StatusBadRequest, name+" is a number from 1 to "+strconv.Itoa(most)+".").Write(w)
		return 0, false
	}
	return n, true
}
