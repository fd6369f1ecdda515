package grpclimit

import (
	"context"

	"google.golang.org/grpc"

	"github.com/weirhq/weir"
)

// Limiter decides by key. A *[weir.Limiter] is one.
type Limiter interface {
	// AllowN takes n for the key if there is room.
	AllowN(ctx context.Context, key string, n int64) (weir.Result, error)
	// Limit is what the answers speak of.
	Limit() *weir.Limit
}

// Interceptor lets calls pass as a limit admits them. Make it with [New].
type Interceptor struct {
	limiter Limiter
	limit   *weir.Limit
	key     KeyFunc
	settings
}

// New makes an interceptor of one limit, counted by key. It panics where the
// limiter or the key is nil: there is no default for whose calls are counted
// together.
func New(limiter Limiter, key KeyFunc, options ...Option) *Interceptor {
	if limiter == nil {
		panic("grpclimit: New: the limiter is nil")
	}
	if key == nil {
		panic("grpclimit: New: the key function is nil; ByPeer is one")
	}
	return &Interceptor{limiter: limiter, limit: limiter.Limit(), key: key, settings: newSettings(options)}
}

// Unary charges each call before its handler runs.
func (i *Interceptor) Unary() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		a := i.ask(ctx, info.FullMethod, request)
		if a.err != nil {
			grpc.SetTrailer(ctx, a.trailer) // without a header, so that a client may retry
			return nil, a.err
		}
		grpc.SetHeader(ctx, a.header) // fails where the call does not come over the wire
		return handler(ctx, request)
	}
}

// Stream charges each stream when it opens, before its handler runs, or each
// message: see [WithPerMessage].
func (i *Interceptor) Stream() grpc.StreamServerInterceptor {
	return func(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if i.perMessage {
			return i.countMessages(service, stream, info, handler)
		}
		a := i.ask(stream.Context(), info.FullMethod, nil)
		if a.err != nil {
			stream.SetTrailer(a.trailer)
			return a.err
		}
		stream.SetHeader(a.header) // fails where the stream is over, which the handler will see
		return handler(service, stream)
	}
}
