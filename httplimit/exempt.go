package httplimit

import "net/http"

// exempt reports whether nobody counts the request.
func (s *settings) exempt(r *http.Request) bool {
	for _, skip := range s.skips {
		if skip(r) {
			return true
		}
	}
	return r.Method == http.MethodOptions && !s.preflights && preflight(r)
}

// preflight is what the Fetch standard calls a CORS-preflight request. Any other
// OPTIONS is a request of its own.
func preflight(r *http.Request) bool {
	return len(r.Header["Origin"]) > 0 && len(r.Header["Access-Control-Request-Method"]) > 0
}
