package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/weirhq/weir/internal/front/envoyrls"
	"github.com/weirhq/weir/internal/front/extauthz"
)

// Bounds on what a gRPC client may hold open.
const (
	maxMessageBytes = envoyrls.MaxMessage
	maxStreams      = 1000 // under way on one connection; more wait with the client
	handshakeTime   = 10 * time.Second
	pingAfter       = time.Minute // of silence, whether the client is still there
	pingTimeout     = 20 * time.Second
	leastPingGap    = 10 * time.Second // between a client's own pings
)

// streamWorkers is how many calls, most of which wait for the store, are answered by
// goroutines that keep their grown stacks for the next call; more than these have one
// each. With 50 callers and a worker for each core, growing stacks was a tenth of the
// processor's time.
const streamWorkers = 64

// grpcServer answers on the gRPC port.
type grpcServer struct {
	*grpc.Server
	health *health.Server
}

// newGRPCServer is nil where the port is off: the server has goroutines from the
// start, and nobody would end them.
func newGRPCServer(o *Options, e *Engine, log *slog.Logger) server {
	if o.GRPC == "" {
		return nil
	}
	s := &grpcServer{health: health.NewServer(), Server: grpc.NewServer(
		grpc.MaxRecvMsgSize(maxMessageBytes),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(handshakeTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: leastPingGap, PermitWithoutStream: true}),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.ChainUnaryInterceptor(answerPanicsGRPC(log), e.tracer.GRPC),
	)}
	extauthz.New(e).Register(s)
	if o.EnvoyConfig != "" {
		envoyrls.New(e, o.envoyAnswers()).Register(s)
	}
	healthpb.RegisterHealthServer(s, s.health)
	for name := range s.GetServiceInfo() {
		s.health.SetServingStatus(name, healthpb.HealthCheckResponse_SERVING)
	}
	reflection.Register(s)
	return s
}

// Shutdown implements server. Who asks for health is told first.
func (s *grpcServer) Shutdown(ctx context.Context) error {
	s.health.Shutdown()
	done := make(chan struct{})
	go func() { defer close(done); s.GracefulStop() }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err() // Close ends GracefulStop too
	}
}

// Close implements server.
func (s *grpcServer) Close() error {
	s.Stop()
	return nil
}

// envoyAnswers are what was asked for beside statuses.
func (o *Options) envoyAnswers() envoyrls.Options {
	answers := envoyrls.Options{Metadata: o.EnvoyMetadata}
	if o.EnvoyHeaders {
		answers.Headers = envoyrls.XRateLimit
		answers.Headers.RetryAfter = "Retry-After"
	}
	return answers
}

// answerPanicsGRPC keeps a mistake of ours in one call, and in the log.
func answerPanicsGRPC(log *slog.Logger) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, in any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (out any, err error) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("panic, please report it", "panic", fmt.Sprint(p), "method", info.FullMethod, "stack", string(debug.Stack()))
				out, err = nil, status.Error(codes.Internal, "This is a fault of weir's; its log has more.")
			}
		}()
		return next(ctx, in)
	}
}
