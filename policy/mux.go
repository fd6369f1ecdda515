package policy

import "strings"

// mux finds the most specific of several patterns that a request fits, as
// net/http.ServeMux does: a pattern with a host before one without, a method
// before none, a literal segment before a wildcard. Where no two patterns
// conflict, that order is the order of how specific they are.
//
// Unlike ServeMux it does not allocate, and needs no http.Request.
type mux struct {
	hosts map[string]*methods
	any   *methods
}

type methods struct {
	byName map[string]*node
	any    *node
}

// node is what may follow a prefix of segments. A leaf is the index of a
// pattern plus one; 0 is none.
type node struct {
	literals map[string]*node
	one      *node
	rest     int
	leaf     int
}

// newMux indexes patterns by their place in the list.
func newMux(patterns []*pattern) *mux {
	m := &mux{hosts: map[string]*methods{}}
	for i, p := range patterns {
		m.root(p).add(p.segments, i+1)
	}
	return m
}

// root is where the paths of a pattern's host and method begin.
func (m *mux) root(p *pattern) *node {
	at := &m.any
	if p.host != "" {
		h := m.hosts[p.host]
		defer func() { m.hosts[p.host] = *at }()
		at = &h
	}
	if *at == nil {
		*at = &methods{byName: map[string]*node{}}
	}
	if p.method == "" {
		if (*at).any == nil {
			(*at).any = new(node)
		}
		return (*at).any
	}
	if (*at).byName[p.method] == nil {
		(*at).byName[p.method] = new(node)
	}
	return (*at).byName[p.method]
}

func (n *node) add(segments []segment, leaf int) {
	for _, s := range segments {
		switch {
		case s.wild == rest:
			n.rest = leaf
			return
		case s.wild == one:
			if n.one == nil {
				n.one = new(node)
			}
			n = n.one
		default:
			if n.literals == nil {
				n.literals = map[string]*node{}
			}
			if n.literals[s.literal] == nil {
				n.literals[s.literal] = new(node)
			}
			n = n.literals[s.literal]
		}
	}
	n.leaf = leaf
}

// match gives the index of the pattern for a normal host and path; -1 for none.
//
// Where only a subtree "/tree/" fits, "/tree" is matched by it: ServeMux answers
// with a redirect there, and other servers with the page itself.
func (m *mux) match(host, method, path string) int {
	found := m.search(host, method, path, false)
	if !found.exact && path[len(path)-1] != '/' {
		if slashed := m.search(host, method, path, true); slashed.exact {
			found = slashed
		}
	}
	return found.leaf - 1
}

// found is a leaf, 0 for none; exact unless "{x...}" stands for something.
type found struct {
	leaf  int
	exact bool
}

// search looks in ServeMux's order. slashed adds a slash to the path's end.
func (m *mux) search(host, method, path string, slashed bool) found {
	if host != "" && len(m.hosts) > 0 {
		if f := m.hosts[host].search(method, path, slashed); f.leaf > 0 {
			return f
		}
	}
	return m.any.search(method, path, slashed)
}

func (m *methods) search(method, path string, slashed bool) found {
	if m == nil {
		return found{}
	}
	if f := m.byName[method].search(path, slashed); f.leaf > 0 {
		return f
	}
	if method == "HEAD" {
		if f := m.byName["GET"].search(path, slashed); f.leaf > 0 {
			return f
		}
	}
	return m.any.search(path, slashed)
}

func (n *node) search(path string, slashed bool) found {
	if n == nil {
		return found{}
	}
	if path == "" && slashed {
		path, slashed = "/", false
	}
	if path == "" {
		return found{n.leaf, n.leaf > 0}
	}
	text, after := firstSegment(path)
	if f := n.literals[text].search(after, slashed); f.leaf > 0 {
		return f
	}
	if text != "/" {
		if f := n.one.search(after, slashed); f.leaf > 0 {
			return f
		}
	}
	return found{n.rest, n.rest > 0 && path == "/"}
}

// firstSegment is the first segment of a path, unescaped, and what follows it.
// A final slash is a segment "/".
func firstSegment(path string) (text, after string) {
	if path == "/" {
		return "/", ""
	}
	i := strings.IndexByte(path[1:], '/')
	if i < 0 {
		return unescape(path[1:]), ""
	}
	return unescape(path[1 : 1+i]), path[1+i:]
}
