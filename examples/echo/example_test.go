// Package echo shows a limit for the routes of echo.
package echo

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/labstack/echo/v5"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// Limit is an echo middleware. echo's handlers return their errors, and echo
// answers those afterwards: Run is told of them, so that failures count.
func Limit(limit *httplimit.Middleware) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			return limit.Run(c.Response(), c.Request(), func(w http.ResponseWriter, _ *http.Request) error {
				c.SetResponse(w)
				return next(c)
			})
		}
	}
}

// Two requests a minute for each API key that is known, and for each address
// without one.
func Example() {
	limiter, err := weir.New(weir.PerMinute(2))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	known := func(key string) bool { return key == "k1" }
	key := httplimit.FirstOf(httplimit.ByHeader("X-API-Key", known, []byte("a secret")), httplimit.ByIP())

	e := echo.New()
	e.Use(Limit(httplimit.New(limiter, key)))
	e.GET("/search", func(c *echo.Context) error { return c.String(http.StatusOK, "found") })

	for _, key := range []string{"k1", "k1", "k1", "junk", "more junk", "still more"} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/search", nil)
		r.Header.Set("X-API-Key", key)
		e.ServeHTTP(w, r)
		fmt.Println(key, w.Code)
	}
	// Output:
	// k1 200
	// k1 200
	// k1 429
	// junk 200
	// more junk 200
	// still more 429
}

// Errors count as failures, though echo writes the 500 after the limit is done.
func Example_failures() {
	limiter, err := weir.New(weir.PerMinute(2))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()

	e := echo.New()
	e.Use(Limit(httplimit.New(limiter, httplimit.ByIP(), httplimit.WithCountOnly(httplimit.Failures))))
	e.GET("/report", func(c *echo.Context) error {
		if c.QueryParam("ok") != "" {
			return c.Redirect(http.StatusFound, "/report.pdf")
		}
		return errors.New("no such table")
	})

	for _, target := range []string{"/report?ok=1", "/report?ok=1", "/report?ok=1", "/report", "/report", "/report"} {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		fmt.Printf("%d %q\n", w.Code, w.Header().Get("X-RateLimit-Remaining"))
	}
	// Output:
	// 302 ""
	// 302 ""
	// 302 ""
	// 500 "1"
	// 500 "0"
	// 429 "0"
}
