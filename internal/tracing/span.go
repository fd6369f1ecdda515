package tracing

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/weirhq/weir"
)

// The attributes. Those without weir in their name are of OpenTelemetry's
// semantic conventions.
const (
	serviceName = attribute.Key("service.name")
	errorType   = attribute.Key("error.type")
	dbSystem    = attribute.Key("db.system.name")

	decisionID   = attribute.Key("weir.decision_id")    // what weir explain takes
	allowed      = attribute.Key("weir.allowed")        // whether the request may pass
	layer        = attribute.Key("weir.layer")          // of the limit that refused, else of the tightest
	limit        = attribute.Key("weir.limit")          // its name
	retryAfterMS = attribute.Key("weir.retry_after_ms") // of a refusal that ends
	denied       = attribute.Key("weir.denied")         // why a list refused
	degraded     = attribute.Key("weir.degraded")       // whether something stood in for the store
	checks       = attribute.Key("weir.checks")         // limits asked
	refused      = attribute.Key("weir.refused")        // of these, in a batch
)

// Span is a decision being made. The zero value records nothing.
type Span struct{ span trace.Span }

// Decision begins the span of a decision. What is asked for it goes by the
// context that is returned.
func (t *Tracer) Decision(ctx context.Context) (context.Context, Span) {
	return t.begin(ctx, "weir.decide")
}

// Batch begins the span of checks that are decided together and have nothing to do
// with each other.
func (t *Tracer) Batch(ctx context.Context) (context.Context, Span) {
	return t.begin(ctx, "weir.decide_each")
}

func (t *Tracer) begin(ctx context.Context, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// End ends the span of a decision, or of a request for which none was made.
func (s Span) End(d *weir.Decision, err error) {
	if s.span == nil {
		return
	}
	defer s.span.End()
	switch {
	case !s.span.IsRecording():
	case err != nil:
		fail(s.span, err)
	default:
		s.span.SetAttributes(decisionID.String(d.ID.String()), allowed.Bool(d.Allowed), degraded.Bool(d.Degraded), checks.Int(len(d.Checks)))
		s.decidedBy(d)
	}
}

// decidedBy says which limit had the last word.
func (s Span) decidedBy(d *weir.Decision) {
	if d.Denied != "" {
		s.span.SetAttributes(denied.String(d.Denied))
		return
	}
	if !d.Allowed && d.RetryAfter != weir.Never {
		s.span.SetAttributes(retryAfterMS.Int64(roundedUp(d.RetryAfter)))
	}
	which := d.Refused
	if which < 0 {
		which = d.Tightest
	}
	if which >= 0 {
		key := &d.Checks[which].Key
		s.span.SetAttributes(layer.String(key.Layer), limit.String(key.Limit))
	}
}

// EndBatch ends the span of checks of which these were decided.
func (s Span) EndBatch(results []weir.Result, err error) {
	if s.span == nil {
		return
	}
	defer s.span.End()
	if !s.span.IsRecording() {
		return
	}
	notAllowed, standIn := 0, false
	for i := range results {
		if !results[i].Allowed {
			notAllowed++
		}
		standIn = standIn || results[i].Degraded
	}
	s.span.SetAttributes(checks.Int(len(results)), refused.Int(notAllowed), degraded.Bool(standIn))
	if err != nil {
		fail(s.span, err)
	}
}

// roundedUp is in whole milliseconds: whoever waits them has waited long enough.
func roundedUp(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// fail says what kind of error there was. Its text may name a key.
func fail(span trace.Span, err error) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(errorType.String(kind(err)))
}

func kind(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, weir.ErrUnavailable):
		return "unavailable"
	}
	return "_OTHER"
}
