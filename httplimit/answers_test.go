package httplimit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weirhq/weir"
)

// Allowed answers carry the fields too.
func TestFieldsOfBothAnswers(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
	h := New(limiter, ByIP(), WithName("search")).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "found")
	}))
	fields := func(remaining string) http.Header {
		return http.Header{
			"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {"1767225660"},
			"Ratelimit-Policy": {`"search";q=2;w=60`}, "Ratelimit": {`"search";r=` + remaining + `;t=60;limit=2;remaining=` + remaining + `;reset=60`},
		}
	}
	no := fields("0")
	no.Set("Retry-After", "60")
	no.Set("Content-Type", "application/problem+json")
	no.Set("Cache-Control", "no-store")
	for i, want := range []http.Header{fields("1"), fields("0"), no} {
		answer := send(h, from("203.0.113.7"))
		if id := answer.Header["Weir-Decision"]; len(id) != 1 || len(id[0]) != 16 {
			t.Errorf("Weir-Decision is %q", id)
		}
		answer.Header.Del("Weir-Decision")
		if i < 2 {
			answer.Header.Del("Content-Type") // sniffed
		}
		if diff := cmp.Diff(want, answer.Header); diff != "" {
			t.Errorf("answer %d: -want +got:\n%s", i, diff)
		}
	}
}

// On a redirect the fields would speak of another address. The decision's id stays.
func TestRedirectsCarryNoFields(t *testing.T) {
	for status := 200; status < 600; status++ {
		if http.StatusText(status) == "" {
			continue
		}
		limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
		header := send(New(limiter, ByIP()).Wrap(&answering{status: status}), from("203.0.113.7")).Header
		redirects := slices.Contains([]int{300, 301, 302, 303, 305, 307, 308}, status)
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"} {
			if got := header.Get(name) == ""; got != redirects {
				t.Errorf("%d: %s is %q", status, name, header.Get(name))
			}
		}
		if header.Get("Weir-Decision") == "" {
			t.Errorf("%d: no Weir-Decision", status)
		}
	}
}

func TestRedirectsOfServeMux(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
	mux := http.NewServeMux()
	mux.Handle("/docs/", ok())
	answer := send(New(limiter, ByIP()).Wrap(mux), request("GET", "/docs", "203.0.113.7"))
	if answer.StatusCode/100 != 3 || answer.Header.Get("RateLimit") != "" {
		t.Errorf("got %d with %v", answer.StatusCode, answer.Header)
	}
}

// An upstream has limits of its own. Its fields do not stand beside ours, where a
// client that wants a number would find a list.
func TestFieldsOfAnUpstreamAreNotAdded(t *testing.T) {
	theirs, _ := newLimiter(t, weir.PerHour(500))
	upstream := httptest.NewServer(New(theirs, ByIP(), WithName("upstream")).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-Other"] = []string{"a", "b"}
	})))
	defer upstream.Close()
	target, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	ours, _ := newLimiter(t, weir.PerMinute(2))
	answer := send(New(ours, ByIP()).Wrap(httputil.NewSingleHostReverseProxy(target)), from("203.0.113.7"))
	for name, want := range map[string]string{"X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "1", "RateLimit-Policy": `"default";q=2;w=60`} {
		if got := answer.Header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if got := answer.Header.Values("X-Other"); len(got) != 2 {
		t.Errorf("X-Other is %q", got)
	}
}

// So it is where the fields are come by another way: a framework has a writer of its own.
func TestFieldsAddedPastTheWriter(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2))
	limit := New(limiter, ByIP())
	for name, handler := range map[string]http.Handler{
		"unwrapped": limit.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().Header().Add("X-RateLimit-Limit", "500")
			w.WriteHeader(http.StatusOK)
		})),
		"a framework's": http.HandlerFunc(func(own http.ResponseWriter, r *http.Request) {
			limit.Run(own, r, func(w http.ResponseWriter, _ *http.Request) error {
				own.Header().Add("X-RateLimit-Limit", "500")
				w.WriteHeader(http.StatusOK)
				return nil
			})
		}),
	} {
		if got := send(handler, from("203.0.113.7")).Header.Values("X-RateLimit-Limit"); len(got) != 1 || got[0] != "2" {
			t.Errorf("%s: X-RateLimit-Limit is %q", name, got)
		}
	}
}
