package daemon

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
)

// BenchmarkCheck is what /check costs beside net/http: a trusted proxy asks for one of
// fifty clients, by the default policy's layers and by one limit, with limits that
// nobody reaches.
func BenchmarkCheck(b *testing.B) {
	const trusting = "trusted_proxies: [127.0.0.0/8]\n"
	for _, c := range []struct{ name, config string }{
		{"three layers", trusting + `plans: {free: 4000000000/min, pro: 4000000000/min}
layers:
  - {name: edge, by: ip, limit: 4000000000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, algorithm: sliding-counter}
  - {name: endpoint, by: [client, route], algorithm: sliding-counter, routes: {/search: 4000000000/min, /export: 4000000000/min}}
`},
		{"one limit", trusting + "layers: [{name: edge, by: ip, limit: 1000000000/min}]\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			store := weir.NewMemoryStore(weir.MemoryOptions{})
			defer store.Close()
			o := Options{Config: write(b, c.config)}
			engine := newEngine(memoryBackend(store), admin.NewMetrics(), mustLoad(b, o))
			h := newTrafficServer(&o, engine, slog.New(slog.DiscardHandler)).(*http.Server).Handler
			var requests []*http.Request
			for i := range 50 {
				r := httptest.NewRequest("GET", "/check/search", nil)
				r.RemoteAddr = "127.0.0.1:4711"
				r.Header.Set("X-API-Key", fmt.Sprintf("caller-%d", i))
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
				requests = append(requests, r)
			}
			w := &discard{header: http.Header{}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				clear(w.header)
				if h.ServeHTTP(w, requests[i%len(requests)]); w.status != http.StatusOK {
					b.Fatalf("set-up: status %d", w.status)
				}
			}
		})
	}
}

// discard is an answer that costs nothing.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }
