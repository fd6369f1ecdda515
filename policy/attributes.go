package policy

import (
	"net/http"
	"net/netip"
)

// Attributes are what a front learned of one request. A front fills them in
// once and hands them to [Policy.Decide]; the policy only reads them. The zero
// value is a request about which nothing is known, which takes nothing.
type Attributes struct {
	// IP is the client's address, already resolved through trusted proxies by
	// package clientip. The zero Addr is unknown: see [Config.UnknownIP].
	IP netip.Addr
	// Method is as on the request line. "" matches only what names no method.
	Method string
	// Host is the Host header: letter case, port and a final dot do not matter.
	Host string
	// Path is as on the request line, still escaped and without query. It need
	// not be clean: //login and /./login are /login. "" is "/".
	Path string
	// Header holds the request's headers under canonical names; may be nil.
	Header http.Header
	// Trusted says that the direct peer is a trusted proxy, so that headers
	// which name a cost or a plan are believed.
	Trusted bool
	// Cost is how many requests this one stands for, ≥ 0: it multiplies each
	// limit's own cost. Fronts set 1 where the caller says nothing; 0 takes
	// nothing and tells the state; below 0 the store refuses the call with
	// [github.com/weirhq/weir.ErrNegativeCost].
	Cost int64
	// Peek asks without charging.
	Peek bool
	// Room, where there is one, holds the decision's checks and results.
	Room *Room
}
