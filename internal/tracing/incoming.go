package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// traceContext is W3C's: traceparent and tracestate.
var traceContext propagation.TraceContext

// HTTP has decisions go on with the trace that a request's traceparent names.
func (t *Tracer) HTTP(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Traceparent"]) == 1 {
			r = r.WithContext(traceContext.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

// GRPC does for calls what HTTP does for requests. It is called after another
// interceptor where t may be nil.
func (t *Tracer) GRPC(ctx context.Context, in any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if t == nil {
		return next(ctx, in)
	}
	if md, found := metadata.FromIncomingContext(ctx); found && len(md["traceparent"]) == 1 {
		ctx = traceContext.Extract(ctx, carrier(md))
	}
	return next(ctx, in)
}

// carrier reads gRPC's metadata for a propagator.
type carrier metadata.MD

// Get implements [propagation.TextMapCarrier].
func (c carrier) Get(name string) string {
	if values := metadata.MD(c).Get(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Set implements [propagation.TextMapCarrier].
func (c carrier) Set(name, value string) { metadata.MD(c).Set(name, value) }

// Keys implements [propagation.TextMapCarrier].
func (c carrier) Keys() (names []string) {
	for name := range c {
		names = append(names, name)
	}
	return names
}
