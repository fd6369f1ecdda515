package forwardauth

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// reading is what a check says of the request to judge.
type reading struct {
	attributes policy.Attributes
	peer       netip.Addr // the zero Addr on a Unix socket
	outcome    clientip.Outcome
	uri        string // as a trusted peer names it; "" where none does
	wrong      error  // a sentence for whoever set the proxy up; nil where all is right
}

// read takes the check's own method, Host and path, and what a trusted peer says
// in place of them.
func (p *Profile) read(r *http.Request, trusted clientip.Prefixes) reading {
	in := reading{attributes: policy.Attributes{
		Method: r.Method,
		Host:   r.Host,
		Path:   strings.TrimPrefix(r.URL.EscapedPath(), Prefix),
		Header: r.Header,
		Cost:   1,
	}}
	peer, ok := clientip.Peer(r.RemoteAddr)
	if !ok {
		return in
	}
	a := &in.attributes
	resolver := clientip.Resolver{Trusted: trusted, Header: p.client}
	in.peer, a.Trusted = peer, trusted.Contains(peer)
	a.IP, in.outcome = resolver.Resolve(peer, r.Header[p.client.Name()])
	if a.Trusted {
		in.wrong = p.believe(r.Header, &in)
	}
	return in
}

// believe takes what a trusted peer says of the request: first the URI, by which
// the client's part of the check's query is known.
func (p *Profile) believe(header http.Header, in *reading) error {
	a := &in.attributes
	for _, one := range [...]struct {
		name string
		into *string
	}{{p.set.uri, &in.uri}, {p.set.method, &a.Method}, {p.set.host, &a.Host}} {
		if one.name == "" {
			continue
		}
		switch lines := header[one.name]; {
		case len(lines) > 1:
			return optionError(one.name + " stands there twice.")
		case len(lines) == 1 && (lines[0] != "" || p.proxy && one.into == &a.Host): // HTTP/1.0 knows requests without a Host
			*one.into = lines[0]
		case p.proxy:
			return missing(one.name)
		}
	}
	if in.uri != "" {
		a.Path = in.uri
	}
	if p.proxy && len(header[p.client.Name()]) == 0 {
		return missing(p.client.Name())
	}
	return nil
}

func missing(name string) error {
	return optionError("A trusted peer did not send " + name + ": set it in the proxy, or choose the profile that fits the proxy.")
}
