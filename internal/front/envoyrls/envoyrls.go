// Package envoyrls is the front that speaks Envoy's rate limit service v3, over
// gRPC and as JSON. It turns messages into descriptors and answers into messages,
// and knows nothing of limits.
//
//	service := envoyrls.New(engine, envoyrls.Options{})
//	service.Register(grpcServer)
//	mux.Handle("/json", service.JSON())
//
// # Errors
//
// Over the limit is an answer: OVER_LIMIT, and 429 as JSON. InvalidArgument (400)
// is for a request that says nothing that can be decided, Unavailable (503) for
// no decision. Each has a fixed sentence.
package envoyrls

import (
	"context"
	"errors"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/weirhq/weir/internal/descriptor"
)

// Engine is what the front asks.
type Engine interface {
	// Limit decides by descriptors.
	Limit(ctx context.Context, r *descriptor.Request) (descriptor.Answer, error)
}

// Options shape answers. The zero value is what the predecessor does without any
// settings.
type Options struct {
	// Headers are the names of the response headers to add; none by default.
	Headers Headers
	// Metadata sends dynamic metadata with answers.
	Metadata bool
	// UnknownErrors makes the code of every gRPC error Unknown, as the
	// predecessor's is.
	UnknownErrors bool
}

// MaxMessage is the size above which a request is not read, in bytes.
const MaxMessage = 256 << 10

// Service answers requests.
type Service struct {
	pb.UnimplementedRateLimitServiceServer
	engine  Engine
	options Options
}

// New makes a service that asks the engine.
func New(e Engine, o Options) *Service { return &Service{engine: e, options: o} }

// Register makes the service one of the server's.
func (s *Service) Register(r grpc.ServiceRegistrar) { pb.RegisterRateLimitServiceServer(r, s) }

// ShouldRateLimit implements the service.
func (s *Service) ShouldRateLimit(ctx context.Context, in *pb.RateLimitRequest) (*pb.RateLimitResponse, error) {
	out, err := s.answer(ctx, in)
	if err != nil {
		return nil, s.statusOf(err)
	}
	return out, nil
}

func (s *Service) answer(ctx context.Context, in *pb.RateLimitRequest) (*pb.RateLimitResponse, error) {
	request, err := requestOf(in)
	if err != nil {
		return nil, err
	}
	a, err := s.engine.Limit(ctx, request)
	if err != nil {
		return nil, err
	}
	return s.responseOf(in, &a), nil
}

// badRequest is a sentence for whoever sent a request that cannot be decided.
type badRequest string

func (e badRequest) Error() string { return string(e) }

// statusOf words an error. What is not the client's doing gets a fixed sentence:
// causes go to the metrics and the log.
func (s *Service) statusOf(err error) error {
	code, sentence := codes.Unavailable, "No decision could be made."
	if bad, ok := errors.AsType[badRequest](err); ok {
		code, sentence = codes.InvalidArgument, string(bad)
	}
	if s.options.UnknownErrors {
		code = codes.Unknown
	}
	return status.Error(code, sentence)
}
