package httplimit

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// cors is a middleware as they are: it answers preflights, and sets its headers
// before the handler runs.
func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Access-Control-Expose-Headers", "X-Total")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// B63: CORS preflights ate the quota, and a 429 without CORS headers was reported
// as a CORS error.
func TestB63PreflightsAreLeftAlone(t *testing.T) {
	asPreflight := func() *http.Request {
		return with(with(request("OPTIONS", "/", "203.0.113.7"), "Origin", "https://app.example"), "Access-Control-Request-Method", "GET")
	}
	get := func() *http.Request { return with(from("203.0.113.7"), "Origin", "https://app.example") }
	outside := func(m *Middleware) http.Handler { return cors(m.Wrap(ok())) }
	inside := func(m *Middleware) http.Handler { return m.Wrap(cors(ok())) }
	alone := func(m *Middleware) http.Handler { return m.Wrap(ok()) }

	for name, build := range map[string]func(*Middleware) http.Handler{"inside a CORS middleware": outside, "around one": inside, "alone": alone} {
		t.Run(name, func(t *testing.T) {
			limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
			h := build(New(limiter, ByIP()))
			if n := admits(h, 5, asPreflight); n != 5 {
				t.Errorf("%d of 5 preflights passed", n)
			}
			if got, want := statuses(h, 3, get), []int{200, 200, 429}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if n := admits(h, 1, asPreflight); n != 1 {
				t.Error("a preflight is refused once the quota is used")
			}
		})
	}
	t.Run("by option they count", func(t *testing.T) {
		limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
		if n := admits(New(limiter, ByIP(), WithPreflights()).Wrap(ok()), 5, asPreflight); n != 2 {
			t.Errorf("%d of 5 preflights passed", n)
		}
	})
	for name, r := range map[string]func() *http.Request{
		"a plain OPTIONS": func() *http.Request { return request("OPTIONS", "/", "203.0.113.7") },
		"OPTIONS with Origin": func() *http.Request {
			return with(request("OPTIONS", "/", "203.0.113.7"), "Origin", "https://app.example")
		},
		"OPTIONS with a method": func() *http.Request {
			return with(request("OPTIONS", "/", "203.0.113.7"), "Access-Control-Request-Method", "GET")
		},
		"GET with a preflight's headers": func() *http.Request { r := asPreflight(); r.Method = "GET"; return r },
	} {
		t.Run(name+" counts", func(t *testing.T) {
			limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
			if n := admits(New(limiter, ByIP()).Wrap(ok()), 5, r); n != 2 {
				t.Errorf("%d of 5 passed", n)
			}
		})
	}
}

// B63: every answer keeps what outer middleware set, and scripts may read the
// rate-limit fields.
func TestB63RefusalsKeepCORSHeaders(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(1), perMinute)
	h := cors(New(limiter, ByIP()).Wrap(ok()))
	for _, want := range []int{200, 429} {
		answer := send(h, with(from("203.0.113.7"), "Origin", "https://app.example"))
		if answer.StatusCode != want {
			t.Fatalf("status %d, want %d", answer.StatusCode, want)
		}
		if got := answer.Header.Get("Access-Control-Allow-Origin"); got != "https://app.example" {
			t.Errorf("%d: Access-Control-Allow-Origin is %q", want, got)
		}
		lines := answer.Header.Values("Access-Control-Expose-Headers")
		if len(lines) != 1 {
			t.Fatalf("%d: Access-Control-Expose-Headers is %q", want, lines)
		}
		exposed := strings.Split(lines[0], ", ")
		for _, name := range []string{"X-Total", "Retry-After", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit-Policy", "Ratelimit", "Weir-Decision"} {
			if !slices.Contains(exposed, name) {
				t.Errorf("%d: %s is not in %s", want, name, lines[0])
			}
		}
	}
	answer := send(New(limiter, ByIP()).Wrap(ok()), with(from("203.0.113.8"), "Origin", "https://app.example"))
	if got := answer.Header["Access-Control-Expose-Headers"]; got != nil {
		t.Errorf("without CORS there is %q", got)
	}
}

func TestExposeNamesWhatIsSent(t *testing.T) {
	for _, c := range []struct {
		headers Headers
		before  string
		want    string
	}{
		{Headers{OmitIETF: true, OmitDecision: true}, "", "Retry-After, X-Ratelimit-Limit, X-Ratelimit-Remaining, X-Ratelimit-Reset"},
		{Headers{OmitIETF: true, OmitDecision: true, Reset: NoReset}, "Etag", "Etag, Retry-After, X-Ratelimit-Limit, X-Ratelimit-Remaining"},
		{Headers{OmitLegacy: true, Names: Names{RateLimit: "rl", Decision: "x-id"}}, "", "Retry-After, Ratelimit-Policy, Rl, X-Id"},
	} {
		header := http.Header{}
		if c.before != "" {
			header.Set("Access-Control-Expose-Headers", c.before)
		}
		for range 2 { // the second changes nothing
			c.headers.Expose(header)
		}
		if got := header.Get("Access-Control-Expose-Headers"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
