package extauthz

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/grpc/peer"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// engine records what it is asked, and decides what it is told to.
type engine struct {
	decision weir.Decision
	err      error

	asked    *policy.Attributes
	resolved []clientip.Outcome
}

func (e *engine) Decide(_ context.Context, a *policy.Attributes) (weir.Decision, error) {
	e.asked = a
	return e.decision, e.err
}

// Trusted is Envoy at 10.0.0.1, and other proxies there.
func (e *engine) Trusted() clientip.Prefixes {
	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	if err != nil {
		panic(err)
	}
	return trusted
}

func (e *engine) Resolved(o clientip.Outcome) { e.resolved = append(e.resolved, o) }
func (e *engine) Headers() httplimit.Headers  { return httplimit.Headers{} }

// allowing is an engine that lets everything pass.
func allowing() *engine { return &engine{decision: weir.Decide(7, nil, nil)} }

// check asks as Envoy at an address does.
func check(t testing.TB, e *engine, envoy string, in *auth.AttributeContext) *auth.CheckResponse {
	t.Helper()
	ctx := peer.NewContext(t.Context(), &peer.Peer{Addr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(envoy), 5123))})
	out, err := New(e).Check(ctx, &auth.CheckRequest{Attributes: in})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// attributes are a request's as Envoy sends them: from its peer's address, with
// these header fields, pairs of a name and a value.
func attributes(source string, header ...string) *auth.AttributeContext {
	http := &auth.AttributeContext_HttpRequest{
		Method: "POST", Host: "api.example.com", Path: "/search?q=1",
		Headers: map[string]string{":method": "POST", ":authority": "api.example.com", ":path": "/search?q=1"},
	}
	for i := 0; i < len(header); i += 2 {
		http.Headers[strings.ToLower(header[i])] = header[i+1]
	}
	return &auth.AttributeContext{
		Source:  &auth.AttributeContext_Peer{Address: socket(source)},
		Request: &auth.AttributeContext_Request{Http: http},
	}
}

func socket(address string) *core.Address {
	return &core.Address{Address: &core.Address_SocketAddress{SocketAddress: &core.SocketAddress{
		Address: address, PortSpecifier: &core.SocketAddress_PortValue{PortValue: 4711},
	}}}
}
