package policy

import "strings"

// request is one request on its way through the layers: what several layers ask
// for is worked out once, and only if one asks.
type request struct {
	p *Policy
	a *Attributes

	normalPath string // "" before it was asked for
	normalHost string
	hostKnown  bool
	address    string // the identity; "" before it was asked for
	who        client
	whoKnown   bool
}

func (r *request) path() string {
	if r.normalPath == "" {
		r.normalPath = normalPath(r.a.Path)
	}
	return r.normalPath
}

func (r *request) host() string {
	if !r.hostKnown {
		r.normalHost, r.hostKnown = normalHost(r.a.Host), true
	}
	return r.normalHost
}

func (r *request) key() (string, bool) { return r.p.clients.source.from(r.a.Header) }

func (r *request) client() *client {
	if !r.whoKnown {
		r.who, r.whoKnown = r.p.clients.resolve(r), true
	}
	return &r.who
}

// trusted is the value of a header that a trusted peer has set; "" without one,
// and where there are several lines: a proxy that adds its own has left the
// client's in place.
func (r *request) trusted(header string) string {
	lines := r.a.Header[header]
	if !r.a.Trusted || len(lines) != 1 {
		return ""
	}
	return strings.Trim(lines[0], " \t")
}
