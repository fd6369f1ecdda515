package tracing

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// complainTo has the SDK complain to the log. It does so by what is global to the
// process; there is no other way.
func complainTo(log *slog.Logger) {
	otel.SetLogger(logr.New(&sink{log}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "because", err) }))
}

// sink takes the SDK's messages, but not the values beside them: they may be
// those of headers with a password.
type sink struct{ log *slog.Logger }

// warning is the level of the SDK's warnings; what is higher is about itself.
const warning = 1

// Init implements [logr.LogSink].
func (s *sink) Init(logr.RuntimeInfo) {}

// Enabled implements [logr.LogSink].
func (s *sink) Enabled(level int) bool { return level <= warning }

// Info implements [logr.LogSink].
func (s *sink) Info(_ int, message string, _ ...any) { s.log.Warn("tracing: " + message) }

// Error implements [logr.LogSink].
func (s *sink) Error(err error, message string, _ ...any) {
	s.log.Error("tracing: OTEL_*: "+message, "because", err)
}

// WithValues implements [logr.LogSink].
func (s *sink) WithValues(...any) logr.LogSink { return s }

// WithName implements [logr.LogSink].
func (s *sink) WithName(string) logr.LogSink { return s }

// watched says once that the collector does not take spans, however often it is
// tried, and once that it does again.
type watched struct {
	sdk.SpanExporter
	log    *slog.Logger
	failed atomic.Bool
}

// ExportSpans implements [sdk.SpanExporter]. A failure is in the log already when
// it returns.
func (w *watched) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !w.failed.Swap(true):
		w.log.Error("tracing: the collector does not take spans, they are dropped", "because", err)
	case err == nil && w.failed.Swap(false):
		w.log.Info("tracing: the collector takes spans again")
	}
	return nil
}
