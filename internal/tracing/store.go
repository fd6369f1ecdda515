package tracing

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/weirhq/weir"
)

// shared is a store that takes a call of another process, and may know an answer
// without one.
type shared interface {
	weir.Store
	Known(checks []weir.Check, results []weir.Result) bool
}

// Store makes a span of each take of the store, below that of the decision. System
// is the database's name in OpenTelemetry's words. What the store knows without a
// call has no span; nor has a take that another decision's call answers one of its
// own on the wire.
func (t *Tracer) Store(s shared, system string) weir.Store {
	if t == nil {
		return s
	}
	return &store{s, t, trace.WithAttributes(dbSystem.String(system))}
}

type store struct {
	shared
	tracer *Tracer
	system trace.SpanStartEventOption
}

// Take implements [weir.Store].
func (s *store) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	ctx, span := s.tracer.tracer.Start(ctx, "weir.store.take", trace.WithSpanKind(trace.SpanKindClient), s.system)
	defer span.End()
	err := s.shared.Take(ctx, checks, results)
	if err != nil && span.IsRecording() {
		fail(span, err)
	}
	return err
}
