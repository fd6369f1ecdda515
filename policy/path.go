package policy

import (
	"path"
	"strings"
)

// normalPath gives the one spelling of a request's path that patterns are
// matched against: as net/http.ServeMux cleans it, and with %2e read as a dot,
// because RFC 3986, section 6.2.2.2, makes them the same and servers that
// resolve /x/%2e%2e/login to /login are common. Other escapes are undone within
// their segment when it is matched.
//
// Whatever a front passes gives a path: a query is cut off, and of an absolute
// URL the path is taken. It allocates only for a path that is not clean.
func normalPath(p string) string {
	if isNormal(p) {
		return p
	}
	if i := strings.IndexAny(p, "?#"); i >= 0 {
		p = p[:i]
	}
	if scheme, after, found := strings.Cut(p, "://"); found && isScheme(scheme) {
		_, p, _ = strings.Cut(after, "/")
	}
	if strings.IndexByte(p, '%') >= 0 {
		p = strings.ReplaceAll(p, "%2e", ".")
		p = strings.ReplaceAll(p, "%2E", ".")
	}
	return cleanPath(p)
}

// isNormal reports whether normalPath has nothing to do.
func isNormal(p string) bool {
	if p == "" || p[0] != '/' {
		return false
	}
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '?', '#':
			return false
		case '/':
			if i+1 < len(p) && (p[i+1] == '/' || p[i+1] == '.') {
				return false // maybe: cleaning decides
			}
		case '%':
			if i+2 < len(p) && p[i+1] == '2' && p[i+2]|0x20 == 'e' {
				return false
			}
		}
	}
	return true
}

func isScheme(text string) bool {
	return text != "" && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// cleanPath roots a path, resolves dot segments and merges slashes. A final
// slash stays.
func cleanPath(p string) string {
	if p == "" || p[0] != '/' {
		p = "/" + p
	}
	clean := path.Clean(p)
	if p[len(p)-1] == '/' && clean != "/" {
		clean += "/"
	}
	return clean
}

// normalHost gives the one spelling of a host: lower case, without port and
// final dot. It allocates only where there are capitals.
func normalHost(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 {
		if bare := host[:i]; strings.IndexByte(bare, ':') < 0 || strings.HasSuffix(bare, "]") {
			host = bare
		}
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
