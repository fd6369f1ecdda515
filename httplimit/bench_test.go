package httplimit

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func BenchmarkHeaders(b *testing.B) {
	gateway := weir.Check{Key: weir.Key{Layer: "gateway", Limit: "plan"}, Cost: 1}
	gateway.Limit, _ = weir.NewLimit(weir.PerMinute(60))
	d := weir.Decide(7, []weir.Check{gateway}, []weir.Result{allowed(60, 59, 13*time.Second)})
	for _, c := range []struct {
		name string
		set  func(http.Header)
	}{
		{"five calls of Set", func(h http.Header) {
			r := d.Results[0]
			h.Set("X-RateLimit-Limit", strconv.FormatInt(r.Limit, 10))
			h.Set("X-RateLimit-Remaining", strconv.FormatInt(r.Remaining, 10))
			h.Set("X-RateLimit-Reset", strconv.FormatInt(r.At/1e6+14, 10))
			h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", "gateway", r.Limit, 60))
			h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", "gateway", r.Remaining, 14))
		}},
		{"weir", func(h http.Header) { Headers{}.Set(h, &d) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			header := http.Header{}
			b.ReportAllocs()
			for b.Loop() {
				clear(header)
				c.set(header)
			}
		})
	}
}

// sink is a ResponseWriter that costs nothing, so that what is measured is ours.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Flush()                      {}

// BenchmarkMiddleware is a handler alone, and behind a limit with all default
// fields. What the limit costs is the difference.
func BenchmarkMiddleware(b *testing.B) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	admitting, err := weir.New(weir.PerHour(100_000_000)) // which remembers a request for 36 µs
	if err != nil {
		b.Fatal(err)
	}
	defer admitting.Close()
	refusing, err := weir.New(weir.Per(1, 400*24*time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	defer refusing.Close()
	for _, c := range []struct {
		name    string
		handler http.Handler
		status  int
		fields  int
	}{
		{"bare", ok, 200, 0},
		{"admitted", New(admitting, ByIP()).Wrap(ok), 200, 6},
		{"counting failures only", New(admitting, ByIP(), WithCountOnly(Failures)).Wrap(ok), 200, 6},
		{"refused", New(refusing, ByIP()).Wrap(ok), 429, 9},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := &sink{header: http.Header{}}
			r := httptest.NewRequest("GET", "/search", nil)
			r.RemoteAddr = "203.0.113.7:5123"
			for range 2 { // the first is admitted in any case
				clear(w.header)
				c.handler.ServeHTTP(w, r)
			}
			if w.status != c.status || len(w.header) != c.fields {
				b.Fatalf("set-up: status %d, %v", w.status, w.header)
			}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				c.handler.ServeHTTP(w, r)
			}
		})
	}
}
