package daemon

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	rls "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/weirhq/weir/internal/redistest"
)

const tracedPolicy = `
clients: {key: "header:X-API-Key", plan: {hunter2: free}, unknown: deny}
plans: {free: 2/min}
layers:
  - {name: edge, by: ip, limit: 100/min}
  - {name: gateway, by: client, limit: plan}
`

// The traces that the tests' callers are in.
const (
	httpTrace = "0af7651916cd43dd8448eb211c80319c"
	grpcTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	caller    = "b7ad6b7169203331"
)

func traceparent(trace string) string { return "00-" + trace + "-" + caller + "-01" }

// Each decision is a span in the trace of whoever asks, over HTTP and gRPC, with a
// span below for each call of Redis; all of them are exported before weir ends.
// None names a caller.
func TestSpans(t *testing.T) {
	spans := startCollector(t)
	r := start(t, Options{Config: write(t, tracedPolicy), Store: "redis://" + redistest.Shared(t).Addr, EnvoyConfig: envoyFolder(t, shop(5))})
	for range 2 {
		ask(t, r.http+"/check", http.StatusOK, "X-API-Key", "hunter2")
	}
	ask(t, r.http+"/check", http.StatusTooManyRequests, "X-API-Key", "hunter2", "traceparent", traceparent(httpTrace))
	ask(t, r.http+"/check", http.StatusForbidden, "X-API-Key", "swordfish")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", traceparent(grpcTrace))
	if _, err := rls.NewRateLimitServiceClient(dial(t, r.grpc, insecure.NewCredentials())).ShouldRateLimit(ctx, user("hunter2")); err != nil {
		t.Fatal(err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}

	refused := spans.of(t, httpTrace, caller)
	has(t, refused, "weir.allowed=false", "weir.layer=gateway", "weir.limit=", "weir.retry_after_ms=", "weir.degraded=false", "weir.checks=2", "weir.decision_id=")
	store := spans.below(t, refused, "weir.store.take")
	has(t, store, "db.system.name=redis")
	if refused.Kind != trace.Span_SPAN_KIND_SERVER || store.Kind != trace.Span_SPAN_KIND_CLIENT {
		t.Errorf("kinds %s and %s", refused.Kind, store.Kind)
	}
	admitted := spans.of(t, grpcTrace, caller)
	has(t, admitted, "weir.allowed=true", "weir.checks=1")
	spans.below(t, admitted, "weir.store.take")
	if n := len(spans.named("weir.decide")); n != 5 {
		t.Errorf("%d decisions, want 5", n)
	}
	if got := strings.Join(spans.resource, " "); !strings.Contains(got, "service.name=weir") {
		t.Errorf("the resource is %s", got)
	}
	text := prototext.Format(&trace.ScopeSpans{Spans: spans.spans})
	for _, secret := range []string{"hunter2", "swordfish", "127.0.0.1"} {
		if strings.Contains(text, secret) {
			t.Errorf("a span holds %q: %s", secret, text)
		}
	}
}

// A pipeline is one span. A proxy's decisions are spans too, and a store in memory
// has none.
func TestSpansOfOtherFronts(t *testing.T) {
	spans := startCollector(t)
	upstream := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r := start(t, Options{Config: write(t, tracedPolicy), Proxy: &Proxy{Upstream: upstream, Timeout: patience}})
	ask(t, r.http+"/", http.StatusOK, "traceparent", traceparent(httpTrace))
	c, err := redistest.Dial(r.resp)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do("CL.THROTTLE", "hunter2", "0", "1", "60"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do("CL.THROTTLE", "hunter2", "0", "1", "60"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	has(t, spans.of(t, httpTrace, caller), "weir.allowed=true", "weir.layer=edge")
	batches := spans.named("weir.decide_each")
	if len(batches) != 2 {
		t.Fatalf("%d batches", len(batches))
	}
	has(t, batches[0], "weir.checks=1", "weir.refused=0")
	has(t, batches[1], "weir.checks=1", "weir.refused=1")
	if n := len(spans.named("weir.store.take")); n != 0 {
		t.Errorf("%d spans of a store in memory", n)
	}
}

// While Redis hangs, the decision says that something stood in for it, and the
// store's span what went wrong.
func TestSpansWithoutTheStore(t *testing.T) {
	spans := startCollector(t)
	redis := redistest.Start(t)
	r := start(t, Options{Config: write(t, tracedPolicy), Store: "redis://" + redis.Addr})
	redis.Pause()
	defer redis.Resume()
	ask(t, r.http+"/check", http.StatusOK, "traceparent", traceparent(httpTrace))
	redis.Resume()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	decision := spans.of(t, httpTrace, caller)
	has(t, decision, "weir.degraded=true", "weir.allowed=true")
	store := spans.below(t, decision, "weir.store.take")
	has(t, store, "error.type=timeout")
	if store.Status.GetCode() != trace.Status_STATUS_CODE_ERROR {
		t.Errorf("status %s", store.Status)
	}
}

// A collector that is not there, says no or says nothing is one line in the log.
// Decisions are made, more than the queue has room for, and weir ends.
func TestCollectorThatFails(t *testing.T) {
	failing := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	silent := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	for name, url := range map[string]string{"closed": "http://" + freeAddress(t), "refusing": failing, "silent": silent} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
			t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "200") // tries are repeated until then
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
			t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "1")
			t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
			r := start(t, Options{})
			for range 20 {
				ask(t, r.http+"/check", http.StatusOK)
			}
			r.log.wait(t, "the collector does not take spans")
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
			if lines := r.log.all("the collector does not take spans"); len(lines) != 1 {
				t.Errorf("%d lines: %q", len(lines), lines)
			}
		})
	}
}

// ask sends a GET with header fields, pairs of a name and a value, and wants this
// status.
func ask(t *testing.T, url string, want int, header ...string) {
	t.Helper()
	in, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		in.Header.Set(header[i], header[i+1])
	}
	if status, body := do(t, in); status != want {
		t.Fatalf("%s with %s: %d %s", url, fmt.Sprint(header), status, body)
	}
}
