package forwardauth

import (
	"net/http"
	"strings"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// Profile says which headers name the request to judge. Exactly one set is
// believed, and from trusted peers only; all look-alikes are ignored.
type Profile struct {
	Name   string
	client clientip.Source
	method string // canonical header name
	uri    string
	host   string
}

// Plain is for whoever asks by hand or from code: the method and the headers are
// the asker's own, the path is what follows /check, and a trusted peer may name
// all of them as X-Forwarded-For, -Method, -Uri and -Host.
var Plain = Profile{
	Name:   "plain",
	client: clientip.XForwardedFor,
	method: "X-Forwarded-Method",
	uri:    "X-Forwarded-Uri",
	host:   "X-Forwarded-Host",
}

// attributes are those of the request to judge.
func (p *Profile) attributes(r *http.Request, e Engine) (*policy.Attributes, error) {
	a := &policy.Attributes{
		Method: r.Method,
		Host:   r.Host,
		Path:   strings.TrimPrefix(r.URL.EscapedPath(), Prefix),
		Header: r.Header,
	}
	peer, ok := clientip.Peer(r.RemoteAddr)
	if !ok {
		return a, nil
	}
	trusted := e.Trusted()
	resolver := clientip.Resolver{Trusted: trusted, Header: p.client}
	var outcome clientip.Outcome
	a.IP, outcome = resolver.Resolve(peer, r.Header[p.client.Name()])
	e.Resolved(outcome)
	if a.Trusted = trusted.Contains(peer); !a.Trusted {
		return a, nil
	}
	return a, p.believe(r.Header, a)
}

// believe takes what a trusted peer says of the request.
func (p *Profile) believe(header http.Header, a *policy.Attributes) error {
	for _, one := range [...]struct {
		name string
		into *string
	}{{p.method, &a.Method}, {p.host, &a.Host}, {p.uri, &a.Path}} {
		switch lines := header[one.name]; {
		case len(lines) > 1:
			return optionError(one.name + " stands there twice.")
		case len(lines) == 1 && lines[0] != "":
			*one.into = lines[0]
		}
	}
	return nil
}
