package httplimit

import (
	"net/http"
	"strings"
)

const (
	fieldAllowOrigin = "Access-Control-Allow-Origin"
	fieldExpose      = "Access-Control-Expose-Headers"
)

// Expose lists the fields in Access-Control-Expose-Headers, beside what is
// listed there: scripts of another origin see no header that is not. A
// [Middleware] does so by itself inside a CORS middleware; this is for a handler
// that answers CORS requests on its own. Doing it twice changes nothing.
func (h Headers) Expose(header http.Header) {
	names := h.exposed()
	listed := strings.Join(header[fieldExpose], ", ")
	switch {
	case listed == "":
		listed = names
	case !strings.Contains(listed, names):
		listed += ", " + names
	}
	header[fieldExpose] = []string{listed}
}

// exposed is a list of the fields that Set may write.
func (h *Headers) exposed() string {
	list := append([]string{fieldRetry}, h.limits()...)
	if !h.OmitDecision {
		list = append(list, h.resolved().Decision)
	}
	return strings.Join(list, ", ")
}
