package policy

import (
	"slices"
	"strings"
)

// matcher says whether a layer applies to a request. The zero value applies to
// all.
type matcher struct {
	hosts   []string // in lower case; ".example.com" is all below
	methods []string
	paths   *mux
	headers []headerMatch
}

type headerMatch struct {
	name   string // canonical
	values []string
	any    bool // whatever the value is
}

func (m *matcher) matches(r *request) bool {
	return m.matchesHost(r.host()) && m.matchesMethod(r.a.Method) &&
		(m.paths == nil || m.paths.match(r.host(), r.a.Method, r.path()) >= 0) && m.matchesHeaders(r)
}

// any reports whether the layer applies to all requests.
func (m *matcher) any() bool {
	return len(m.hosts) == 0 && len(m.methods) == 0 && m.paths == nil && len(m.headers) == 0
}

func (m *matcher) matchesHost(host string) bool {
	if len(m.hosts) == 0 {
		return true
	}
	for _, h := range m.hosts {
		if h == host || h[0] == '.' && len(host) > len(h) && strings.HasSuffix(host, h) {
			return true
		}
	}
	return false
}

// matchesMethod: GET includes HEAD, as in a pattern.
func (m *matcher) matchesMethod(method string) bool {
	return len(m.methods) == 0 || slices.Contains(m.methods, method) ||
		method == "HEAD" && slices.Contains(m.methods, "GET")
}

func (m *matcher) matchesHeaders(r *request) bool {
	for i := range m.headers {
		if !m.headers[i].matches(r.a.Header[m.headers[i].name]) {
			return false
		}
	}
	return true
}

func (h *headerMatch) matches(lines []string) bool {
	if h.any {
		return len(lines) > 0
	}
	for _, line := range lines {
		if slices.Contains(h.values, strings.Trim(line, " \t")) {
			return true
		}
	}
	return false
}

// never says why no request fits the match and the pattern both; "" if one may.
func (m *matcher) never(p *pattern, within []*pattern) string {
	switch {
	case p.host != "" && !m.matchesHost(p.host):
		return "match.host"
	case p.method != "" && !m.matchesMethod(p.method):
		return "match.method"
	case len(within) > 0 && !slices.ContainsFunc(within, p.meets):
		return "match.path"
	}
	return ""
}
