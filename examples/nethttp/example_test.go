// Package nethttp shows a limit in front of net/http handlers.
package nethttp

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// One limit around everything, by the client's address.
func Example() {
	limiter, err := weir.New(weir.PerMinute(2))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "found") })
	server := httptest.NewServer(httplimit.New(limiter, httplimit.ByIP()).Wrap(mux))
	defer server.Close()

	for range 3 {
		answer, err := http.Get(server.URL + "/search")
		if err != nil {
			panic(err)
		}
		answer.Body.Close()
		fmt.Printf("%d, %s left", answer.StatusCode, answer.Header.Get("X-RateLimit-Remaining"))
		if wait := answer.Header.Get("Retry-After"); wait != "" {
			fmt.Printf(", come back in %s s", wait)
		}
		fmt.Println()
	}
	// Output:
	// 200, 1 left
	// 200, 0 left
	// 429, 0 left, come back in 30 s
}

// Logins that fail are counted, those that succeed are not. Only this route has
// the limit.
func Example_failedLogins() {
	limiter, err := weir.New(weir.PerMinute(3), weir.WithAlgorithm(weir.FixedWindow))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	limit := httplimit.New(limiter, httplimit.ByIP(), httplimit.WithCountOnly(httplimit.Failures))

	mux := http.NewServeMux()
	mux.Handle("POST /login", limit.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("password") != "right" {
			http.Error(w, "wrong password", http.StatusUnauthorized)
		}
	})))
	login := func(password string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/login?password="+password, nil)
		mux.ServeHTTP(w, r)
		return w.Code
	}
	for range 10 {
		login("right")
	}
	for range 4 {
		fmt.Print(login("wrong"), " ")
	}
	// Output: 401 401 401 429
}
