package daemon

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spanCollector takes spans as OpenTelemetry's collector does, by OTLP over HTTP.
type spanCollector struct {
	url string

	mu       sync.Mutex
	spans    []*trace.Span
	resource []string
}

// startCollector starts one and has weir export to it.
func startCollector(t *testing.T) *spanCollector {
	t.Helper()
	c := &spanCollector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var in collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &in)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		c.take(&in)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.url)
	return c
}

func (c *spanCollector) take(in *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range in.ResourceSpans {
		c.resource = texts(of.Resource.Attributes)
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// named are the spans of that name.
func (c *spanCollector) named(name string) (found []*trace.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// below is the one span below the other.
func (c *spanCollector) below(t *testing.T, parent *trace.Span, name string) *trace.Span {
	t.Helper()
	var found []*trace.Span
	for _, s := range c.named(name) {
		if string(s.ParentSpanId) == string(parent.SpanId) && string(s.TraceId) == string(parent.TraceId) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans %s below %s", len(found), name, parent)
	}
	return found[0]
}

// of is the decision in the trace of that id, below the span that asked for it.
func (c *spanCollector) of(t *testing.T, trace, parent string) *trace.Span {
	t.Helper()
	for _, s := range c.named("weir.decide") {
		if hex.EncodeToString(s.TraceId) == trace {
			if got := hex.EncodeToString(s.ParentSpanId); got != parent {
				t.Errorf("the span is below %s, want %s", got, parent)
			}
			return s
		}
	}
	t.Fatalf("no decision is in the trace %s", trace)
	return nil
}

// texts are attributes as NAME=VALUE, sorted.
func texts(all []*common.KeyValue) (out []string) {
	for _, a := range all {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out = append(out, a.Key+"="+v.StringValue)
		case *common.AnyValue_BoolValue:
			out = append(out, fmt.Sprint(a.Key, "=", v.BoolValue))
		case *common.AnyValue_IntValue:
			out = append(out, fmt.Sprint(a.Key, "=", v.IntValue))
		}
	}
	slices.Sort(out)
	return out
}

// has wants these attributes on the span, and says what it has.
func has(t *testing.T, s *trace.Span, want ...string) {
	t.Helper()
	got := texts(s.Attributes)
	for _, w := range want {
		name, _, _ := strings.Cut(w, "=")
		i := slices.IndexFunc(got, func(one string) bool {
			return one == w || strings.HasSuffix(w, "=") && strings.HasPrefix(one, name+"=")
		})
		if i < 0 {
			t.Errorf("%s is without %s: %q", s.Name, w, got)
		}
	}
}
