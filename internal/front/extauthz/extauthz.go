// Package extauthz is the front that speaks Envoy's external authorization v3 over
// gRPC: Check answers OK to let a request pass, 429 to refuse it, 503 when there is
// no decision, each with the rate-limit fields. It turns one message into the
// attributes of a request and knows nothing of limits.
//
//	extauthz.New(engine).Register(grpcServer)
//
// # Errors
//
// Check returns none: an error is what Envoy takes for a weir that does not answer,
// and lets pass under failure_mode_allow. An option that makes no sense is 500, for
// it is not the client's doing.
package extauthz

import (
	"context"
	"net"
	"net/http"
	"net/netip"

	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// Engine is what the front asks.
type Engine interface {
	Decide(ctx context.Context, a *policy.Attributes) (weir.Decision, error)
	// Trusted holds the peers whose word counts, as configured now.
	Trusted() clientip.Prefixes
	// Resolved counts how the client's address was come by: much that is ignored
	// or junk shows a wrong set-up.
	Resolved(clientip.Outcome)
	// Headers chooses the fields of answers, as configured now.
	Headers() httplimit.Headers
}

// Service answers checks.
type Service struct {
	auth.UnimplementedAuthorizationServer
	engine Engine
}

// New makes a service that asks the engine.
func New(e Engine) *Service { return &Service{engine: e} }

// Register makes the service one of the server's.
func (s *Service) Register(r grpc.ServiceRegistrar) { auth.RegisterAuthorizationServer(r, s) }

// Check implements the service.
func (s *Service) Check(ctx context.Context, in *auth.CheckRequest) (*auth.CheckResponse, error) {
	asked := reading{peer: peerOf(ctx), trusted: s.engine.Trusted(), AttributeContext: in.GetAttributes()}
	a, outcome := asked.attributes()
	s.engine.Resolved(outcome)
	o, err := asked.options()
	if err != nil {
		return refusal(httplimit.NewProblem(http.StatusInternalServerError, err.Error())), nil
	}
	a.Cost, a.Peek = o.cost, o.peek
	d, err := s.engine.Decide(ctx, &a)
	if err != nil {
		return refusal(noDecision), nil
	}
	return s.answer(&d, o), nil
}

// peerOf is who asks: Envoy, or whoever else reaches the port.
func peerOf(ctx context.Context) netip.Addr {
	if p, ok := peer.FromContext(ctx); ok {
		if tcp, ok := p.Addr.(*net.TCPAddr); ok {
			return tcp.AddrPort().Addr()
		}
	}
	return netip.Addr{}
}

var noDecision = httplimit.NewProblem(http.StatusServiceUnavailable, "No decision could be made.")
