package policy

import "net/http"

// conflicts finds patterns that fit the same requests and of which neither is more
// specific. The judge is a ServeMux, so that its rules are kept exactly.
type conflicts struct {
	mux      *http.ServeMux
	patterns []*pattern
}

// add takes one more pattern, and gives the one that it conflicts with or nil.
func (c *conflicts) add(p *pattern) *pattern {
	c.patterns = append(c.patterns, p)
	if c.mux == nil {
		c.mux = http.NewServeMux()
	}
	if takes(c.mux, p) {
		return nil
	}
	for _, q := range c.patterns {
		pair := http.NewServeMux()
		if takes(pair, q); !takes(pair, p) {
			return q
		}
	}
	return nil
}

// takes reports whether a ServeMux takes the pattern: it panics if not.
func takes(mux *http.ServeMux, p *pattern) (ok bool) {
	defer func() { ok = recover() == nil }()
	mux.Handle(p.text, http.NotFoundHandler())
	return true
}

// meets reports whether some request fits both patterns.
func (p *pattern) meets(q *pattern) bool {
	return meet(p.host, q.host) && methodsMeet(p.method, q.method) && pathsMeet(p.segments, q.segments)
}

func meet(a, b string) bool { return a == "" || b == "" || a == b }

func methodsMeet(a, b string) bool {
	return meet(a, b) || a == "GET" && b == "HEAD" || a == "HEAD" && b == "GET"
}

func pathsMeet(a, b []segment) bool {
	for i := 0; ; i++ {
		switch {
		case i == len(a) || i == len(b):
			return len(a) == len(b)
		case a[i].wild == rest || b[i].wild == rest:
			return true
		case !a[i].meets(b[i]):
			return false
		}
	}
}

// meets: a wildcard of one segment does not match a final slash.
func (s segment) meets(t segment) bool {
	switch {
	case s.wild == one:
		return t.wild == one || t.literal != "/"
	case t.wild == one:
		return s.literal != "/"
	}
	return s.literal == t.literal
}
