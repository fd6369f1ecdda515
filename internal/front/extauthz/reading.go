package extauthz

import (
	"net/http"
	"net/netip"
	"strings"

	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// reading is what a check says of the request to judge, and who says so.
type reading struct {
	*auth.AttributeContext
	peer    netip.Addr // the zero Addr where it has none
	trusted clientip.Prefixes
}

// attributes are those of the request. A connection that is no HTTP has an address
// and nothing else.
func (r *reading) attributes() (policy.Attributes, clientip.Outcome) {
	request := r.GetRequest().GetHttp()
	a := policy.Attributes{
		Method: request.GetMethod(), Host: request.GetHost(), Path: request.GetPath(),
		Header: headerOf(request), Trusted: r.isTrusted(),
	}
	var outcome clientip.Outcome
	a.IP, outcome = r.client(a.Header["X-Forwarded-For"])
	return a, outcome
}

func (r *reading) isTrusted() bool { return r.trusted.Contains(r.peer) }

// client is the address of whoever sent the request. A trusted Envoy names its own
// peer, on the connection, which no header changes; where that is a trusted proxy
// too, X-Forwarded-For is read from the right. A peer that is not trusted is the
// client, whatever it says.
func (r *reading) client(forwarded []string) (netip.Addr, clientip.Outcome) {
	if !r.isTrusted() {
		return r.peer, clientip.Ignored
	}
	text := r.GetSource().GetAddress().GetSocketAddress().GetAddress()
	source, err := netip.ParseAddr(text)
	if err != nil { // a Unix socket of Envoy's: nobody's address is known
		return netip.Addr{}, clientip.Absent
	}
	return clientip.Resolver{Trusted: r.trusted, Header: clientip.XForwardedFor}.Resolve(source, forwarded)
}

// headerOf has the request's header as it came (encode_raw_headers), or with the
// lines of each name joined, which is how Envoy sends it by default.
func headerOf(request *auth.AttributeContext_HttpRequest) http.Header {
	raw := request.GetHeaderMap().GetHeaders()
	header := make(http.Header, max(len(raw), len(request.GetHeaders())))
	for _, line := range raw {
		add(header, line.GetKey(), string(line.GetRawValue()))
	}
	for name, value := range request.GetHeaders() {
		add(header, name, value)
	}
	return header
}

// add leaves out :path and its like, which are no fields.
func add(header http.Header, name, value string) {
	if !strings.HasPrefix(name, ":") {
		header.Add(name, value)
	}
}
