package replay

import (
	"net/http"
	"net/netip"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// request is an entry as it is sorted and decided: the parts that come again and
// again are held once, so that a request is three words.
type request struct {
	at   int64 // µs since the Unix epoch
	from *origin
	to   *target
}

// origin is whom requests come from, as far as a log tells it. Its headers are
// those of the target, and tell origins apart too.
type origin struct {
	ip      netip.Addr
	plans   *plan   // kept by the planner, the newest first
	planned int64   // how many
	beside  *beside // nil for most
}

// beside is what else a log may tell of an origin.
type beside struct {
	peer      netip.Addr
	name      string
	forwarded []string
}

// target is what requests ask for, and the headers that the policy reads.
type target struct {
	method, host, path string
	header             http.Header

	kind  int32  // the planner's number of policy.AppendKind; 0 before it was asked for
	route string // the tally's name for it; "" before it was asked for
}

// attributes are those that a front would have made of the request.
func attributes(r *request, resolver *clientip.Resolver) policy.Attributes {
	to := r.to
	a := policy.Attributes{IP: r.from.ip, Method: to.method, Host: to.host, Path: to.path, Header: to.header, Cost: 1}
	from := r.from.beside
	if from == nil {
		return a
	}
	a.Trusted = from.peer.IsValid() && resolver.Trusted.Contains(from.peer)
	switch {
	case a.IP == from.peer && len(from.forwarded) > 0 && from.peer.IsValid():
		a.IP, _ = resolver.Resolve(from.peer, from.forwarded)
	case !a.IP.IsValid() && len(from.forwarded) > 0:
		a.IP = nearest(resolver, from.forwarded)
	case !a.IP.IsValid() && from.name != "":
		a.IP = standIn(from.name)
	}
	return a
}

// nearest is the client where the log's own server is the last proxy and has put
// its peer into the list: trusted stands for the server itself.
func nearest(resolver *clientip.Resolver, forwarded []string) netip.Addr {
	itself := *resolver
	itself.TrustUnix = true
	client, _ := itself.Resolve(netip.Addr{}, forwarded)
	return client
}
