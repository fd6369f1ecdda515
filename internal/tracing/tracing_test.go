package tracing

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// What the environment says, what weir makes of it, and what the log has. A value
// that makes no sense is never the end of weir.
func TestEnvironment(t *testing.T) {
	const here = "http://127.0.0.1:1"
	for _, c := range []struct {
		name string
		env  []string // pairs of a name and a value
		on   bool
		log  string // "" is nothing beside that it is on
	}{
		{"nothing", nil, false, ""},
		{"an endpoint", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", here}, true, ""},
		{"an endpoint of traces", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", here + "/v1/traces"}, true, ""},
		{"an exporter", []string{"OTEL_TRACES_EXPORTER", "otlp"}, true, ""},
		{"none", []string{"OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, false, ""},
		{"disabled", []string{"OTEL_SDK_DISABLED", "True", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, false, ""},
		{"another exporter", []string{"OTEL_TRACES_EXPORTER", "zipkin"}, false, `tracing: OTEL_TRACES_EXPORTER is \"zipkin\": write otlp or none`},
		{"grpc", []string{"OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, `OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\": weir speaks http/protobuf`},
		{"the protocol of traces comes first", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", here, "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"}, true, "level=INFO"},
		{"no URL", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "user:hunter2@collector:4318"}, false, "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL: write http://HOST:4318"},
		{"a sampler that is none", []string{"OTEL_TRACES_SAMPLER", "hunter", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, true, "sampler"},
		{"a ratio that is none", []string{"OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "much", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, true, "level=WARN"},
		{"headers that are none", []string{"OTEL_EXPORTER_OTLP_HEADERS", "hunter2", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, true, "parse headers"},
		{"a resource that is none", []string{"OTEL_RESOURCE_ATTRIBUTES", "shop", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, true, "partial resource"},
		{"a queue that is none", []string{"OTEL_BSP_MAX_QUEUE_SIZE", "-1", "OTEL_EXPORTER_OTLP_ENDPOINT", here}, false, "write a number from 1 to 1048576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := 0; i < len(c.env); i += 2 {
				t.Setenv(c.env[i], c.env[i+1])
			}
			var out bytes.Buffer
			tracer := Start(slog.New(slog.NewTextHandler(&out, nil)))
			tracer.Close()
			if got := tracer != nil; got != c.on {
				t.Errorf("on: %t, want %t: %s", got, c.on, &out)
			}
			if !strings.Contains(out.String(), c.log) || strings.Contains(out.String(), "hunter2") {
				t.Errorf("the log is %s\nwant %s", &out, c.log)
			}
			if lines := strings.Count(out.String(), "\n"); c.log == "" && c.on != (lines == 1) && lines > 0 {
				t.Errorf("the log is %s", &out)
			}
		})
	}
}

// Off is free.
func TestOffAllocatesNothing(t *testing.T) {
	var off *Tracer
	d := weir.Decide(1, nil, nil)
	ctx := context.Background()
	if n := testing.AllocsPerRun(1000, func() {
		_, span := off.Decision(ctx)
		span.End(&d, nil)
		_, span = off.Batch(ctx)
		span.EndBatch(nil, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	next := http.NewServeMux()
	if off.HTTP(next) != http.Handler(next) {
		t.Error("there is a handler more")
	}
}
