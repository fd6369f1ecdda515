package httplimit_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// limiterOf is a limiter at midnight, so that the output stays the same.
func limiterOf(rate weir.Rate, options ...weir.Option) *weir.Limiter {
	limiter, err := weir.New(rate, append(options, weir.WithStore(storeAtMidnight()))...)
	if err != nil {
		panic(err)
	}
	return limiter
}

func storeAtMidnight() *weir.MemoryStore {
	midnight := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return midnight }})
}

var found = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "found") })

func get(h http.Handler, path string) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Result()
}

// Two requests a minute for each address.
func ExampleNew() {
	limiter := limiterOf(weir.PerMinute(2))
	handler := httplimit.New(limiter, httplimit.ByIP()).Wrap(found)
	for range 3 {
		answer := get(handler, "/search")
		fmt.Println(answer.StatusCode, answer.Header.Get("RateLimit"))
	}
	// Output:
	// 200 "default";r=1;t=30;limit=2;remaining=1;reset=30
	// 200 "default";r=0;t=60;limit=2;remaining=0;reset=60
	// 429 "default";r=0;t=60;limit=2;remaining=0;reset=60
}

// A policy in front of a handler: the first of its layers to refuse is named.
func ExampleNewFunc() {
	config, err := policy.Parse("weir.yaml", []byte(`
layers:
  - {name: edge, by: ip, limit: 1000/min}
  - {name: endpoint, by: [ip, route], routes: {/search: 2/min}}
`))
	if err != nil {
		panic(err)
	}
	compiled, _, err := config.Compile(policy.Options{Secret: []byte("a secret")})
	if err != nil {
		panic(err)
	}
	store := storeAtMidnight()
	limit := httplimit.NewFunc(store, func(r *http.Request) (weir.Decision, error) {
		client, _ := clientip.Peer(r.RemoteAddr)
		return compiled.Decide(r.Context(), store, &policy.Attributes{
			IP: client, Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Header: r.Header, Cost: 1,
		})
	})
	handler := limit.Wrap(found)
	for _, path := range []string{"/", "/search", "/search", "/search"} {
		answer := get(handler, path)
		fmt.Println(path, answer.StatusCode, answer.Header.Get("RateLimit-Policy"))
	}
	// Output:
	// / 200 "edge";q=1000;w=60
	// /search 200 "edge";q=1000;w=60, "endpoint";q=2;w=60
	// /search 200 "edge";q=1000;w=60, "endpoint";q=2;w=60
	// /search 429 "edge";q=1000;w=60, "endpoint";q=2;w=60
}

// Behind a proxy on 10.0.0.0/8 the client is who it says it forwards for.
func ExampleBehind() {
	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	if err != nil {
		panic(err)
	}
	key := httplimit.ByIP(httplimit.Behind(clientip.Resolver{Trusted: trusted, Header: clientip.XForwardedFor}))
	for _, peer := range []string{"10.0.0.5:40000", "203.0.113.7:40000"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", "198.51.100.9")
		client, _ := key(r)
		fmt.Println(client)
	}
	// Output:
	// 198.51.100.9
	// 203.0.113.7
}

// A search costs ten times what anything else does.
func ExampleWithCost() {
	limiter := limiterOf(weir.PerMinute(100))
	cost := func(r *http.Request) int64 {
		if r.URL.Path == "/search" {
			return 10
		}
		return 1
	}
	handler := httplimit.New(limiter, httplimit.ByIP(), httplimit.WithCost(cost)).Wrap(found)
	fmt.Println(get(handler, "/search").Header.Get("X-RateLimit-Remaining"))
	fmt.Println(get(handler, "/").Header.Get("X-RateLimit-Remaining"))
	// Output:
	// 90
	// 89
}

// Asking by hand, as a front does.
func ExampleHeaders() {
	limiter := limiterOf(weir.PerMinute(2))
	result, err := limiter.Allow(context.Background(), "user:42")
	if err != nil {
		panic(err)
	}
	check := weir.Check{Key: weir.Key{Layer: "search"}, Limit: limiter.Limit(), Cost: 1}
	decision := weir.Decide(result.ID, []weir.Check{check}, []weir.Result{result})

	w := httptest.NewRecorder()
	httplimit.Headers{Reset: httplimit.Delta, IETF: httplimit.Both, Bare: true}.Set(w.Header(), &decision)
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"} {
		fmt.Println(name+":", w.Header().Get(name))
	}
	// Output:
	// X-RateLimit-Limit: 2
	// X-RateLimit-Remaining: 1
	// X-RateLimit-Reset: 30
	// RateLimit-Policy: "search";q=2;w=60
	// RateLimit: "search";r=1;t=30;a=1;w=30
}
