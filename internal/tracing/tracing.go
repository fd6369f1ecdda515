// Package tracing exports decisions, and the calls of a shared store below them,
// as OpenTelemetry spans by OTLP over HTTP, if OTEL_* asks for it.
//
//	tracer := tracing.Start(log)
//	defer tracer.Close()
//	ctx, span := tracer.Decision(ctx)
//	d, err := decide(ctx)
//	span.End(&d, err)
//
// A nil *[Tracer] does nothing, without an allocation: so it is off.
//
// No span holds a key, a header, an address or an error's text.
//
// # Errors
//
// Spans are not what a rate limiter is for. What is wrong with OTEL_* is a line
// in the log and leaves tracing off; a collector that does not answer is a line,
// and another when it does again.
//
// # Concurrency
//
// Spans wait in a bounded queue (OTEL_BSP_MAX_QUEUE_SIZE, 2048 unless it is set)
// for one goroutine, which Close waits for. Where the queue is full they are
// dropped: a decision never waits for the collector.
package tracing

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer makes spans. Nil makes none.
type Tracer struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	log      *slog.Logger
}

// scope is the name of what makes the spans.
const scope = "github.com/weirhq/weir"

// flushTimeout is how long Close waits for a collector that does not take what is
// left.
const flushTimeout = 3 * time.Second

// Start reads the environment and begins to export if that asks for it; else it
// returns nil.
func Start(log *slog.Logger) *Tracer {
	asked, err := asksForTraces()
	if err != nil {
		log.Error("tracing stays off", "because", err)
		return nil
	}
	if !asked {
		return nil
	}
	complainTo(log)
	exporter, err := otlptracehttp.New(context.Background())
	if err != nil {
		log.Error("tracing stays off", "because", err)
		return nil
	}
	provider := sdk.NewTracerProvider(sdk.WithResource(describe()), sdk.WithBatcher(&watched{SpanExporter: exporter, log: log}))
	log.Info("tracing: decisions are exported by OTLP")
	return &Tracer{tracer: provider.Tracer(scope), provider: provider, log: log}
}

// Close exports what is left, for 3 s at most, and ends the exporter.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("tracing: spans were lost at the end", "because", err)
	}
}

// describe is this process to the collector. OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES come before the name weir. What is wrong with these, the
// provider logs, which reads them once more.
func describe() *resource.Resource {
	r, _ := resource.New(context.Background(),
		resource.WithAttributes(serviceName.String("weir")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	return r
}
