package policy

import (
	"net/http"
	"slices"
	"strings"
)

// routes are a layer's patterns and the limit of each.
type routes struct {
	conflicts
	limits []placed
}

// placed is a LIMIT and where it stands.
type placed struct {
	limit *Limit
	path  string
}

func (r *routes) add(k *compiler, path string, p *pattern, limit placed) {
	if other := r.conflicts.add(p); other != nil {
		k.fail(asKey(path), "make one more specific than the other", "the pattern %q and %q fit the same requests, and neither is more specific", p.text, other.text)
	}
	r.limits = append(r.limits, limit)
}

// routes gives the layer's routes. Without any there is one limit and no
// pattern.
func (k *compiler) routes(path string, l *Layer, byRoute bool, within []*pattern) routes {
	var r routes
	whole := placed{l.Limit, inField(path, "limit")}
	switch by := inField(path, "by"); {
	case len(l.Routes) == 0 && l.Limit == nil:
		k.fail(whole.path, "write limit: 100/min, or routes", "%s: limit is missing", l.title())
	case len(l.Routes) == 0 && !byRoute:
		r.limits = []placed{whole}
	case len(l.Routes) == 0 && len(l.Match.Path) == 0:
		k.fail(by, "write routes, or match: {path: […]}", "%s: by route, and there are no routes", l.title())
	case len(l.Routes) == 0:
		for i, p := range within {
			r.add(k, inList(inField(path, "match.path"), i), p, whole)
		}
	case !byRoute:
		k.fail(by, "add route: [client, route]", "%s: routes have limits of their own, but by does not say route", l.title())
	default:
		k.listRoutes(path, l, whole, &r)
	}
	return r
}

func (k *compiler) listRoutes(path string, l *Layer, whole placed, r *routes) {
	for i := range l.Routes {
		at := inMap(inField(path, "routes"), l.Routes[i].Key)
		if p := k.pattern(asKey(at), &l.Routes[i].Key); p != nil {
			r.add(k, at, p, placed{&l.Routes[i].Value, at})
		}
	}
	if l.Limit != nil {
		all, _ := parsePattern("/")
		r.add(k, whole.path, all, whole)
	}
}

// match compiles which requests the layer applies to, and gives its patterns.
func (k *compiler) match(path string, l *Layer, c *layer) []*pattern {
	at := inField(path, "match")
	for i, host := range l.Match.Host {
		c.match.hosts = append(c.match.hosts, k.matchHost(inList(inField(at, "host"), i), &l.Match.Host[i], host))
	}
	for i, method := range l.Match.Method {
		if upper := strings.ToUpper(method); method != upper || !isToken(method) {
			k.fail(inList(inField(at, "method"), i), "did you mean "+upper+"?", "the method %q is not in upper case", method)
		}
	}
	c.match.methods = l.Match.Method
	for _, e := range l.Match.Header {
		here := inMap(inField(at, "header"), e.Key)
		if !isToken(e.Key) {
			k.fail(asKey(here), "write X-Name: value", "%q is not the name of a header", e.Key)
		}
		k.sent(asKey(here), e.Key, "write match.host")
		if len(e.Value) == 0 {
			k.fail(here, `write a value, or "*" for any`, "no value")
		}
		c.match.headers = append(c.match.headers, headerMatch{http.CanonicalHeaderKey(e.Key), e.Value, slices.Contains(e.Value, "*")})
	}
	var patterns []*pattern
	for i := range l.Match.Path {
		if p := k.pattern(inList(inField(at, "path"), i), &l.Match.Path[i]); p != nil {
			patterns = append(patterns, p)
		}
	}
	if len(patterns) > 0 {
		c.match.paths = newMux(patterns)
	}
	return patterns
}

func (k *compiler) matchHost(path string, written *string, host string) string {
	normal, below := normalHost(host), ""
	if strings.HasPrefix(normal, "*.") {
		below, normal = ".", normal[2:]
	}
	if normal == "" || strings.ContainsAny(normal, "*/ ") {
		k.fail(path, "write api.example.com, or *.example.com for all below it", "the host %q is not one", host)
		return "?"
	}
	if below != "" {
		k.rewrite(written, "*."+normal)
		return below + normal
	}
	k.rewrite(written, normal)
	return normal
}

func (k *compiler) pattern(path string, text *string) *pattern {
	p, problem := parsePattern(*text)
	if problem != nil {
		k.fail(path, problem.hint, "the pattern %q %s", *text, problem.message)
		return nil
	}
	k.rewrite(text, p.text)
	return p
}
