// Package gin shows a limit around a gin engine, and for a group of its routes.
package gin

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/gin-gonic/gin"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

func init() { gin.SetMode(gin.TestMode) }

// An engine is an http.Handler: around all of it Wrap is enough.
func Example() {
	limiter, err := weir.New(weir.PerMinute(2))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()

	engine := gin.New()
	engine.GET("/search", func(c *gin.Context) { c.String(http.StatusOK, "found") })
	handler := httplimit.New(limiter, httplimit.ByIP()).Wrap(engine)

	for range 3 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/search", nil))
		fmt.Println(w.Code)
	}
	// Output:
	// 200
	// 200
	// 429
}

// Limit is a gin middleware, for a group or a route. gin keeps the status to
// itself until it writes, so failures are told by it.
func Limit(limit *httplimit.Middleware) gin.HandlerFunc {
	return func(c *gin.Context) {
		admitted := false
		limit.Run(c.Writer, c.Request, func(w http.ResponseWriter, _ *http.Request) error {
			admitted = true
			c.Writer = writer{c.Writer, w}
			c.Next()
			if status := c.Writer.Status(); status >= 400 {
				return failure(status)
			}
			return nil
		})
		if !admitted {
			c.Abort()
		}
	}
}

// writer shows the limit the status, for redirects carry no rate-limit fields.
type writer struct {
	gin.ResponseWriter
	limited http.ResponseWriter
}

func (w writer) WriteHeader(status int) { w.limited.WriteHeader(status) }

type failure int

func (f failure) Error() string   { return http.StatusText(int(f)) }
func (f failure) StatusCode() int { return int(f) }

// Only logins that fail are counted.
func Example_group() {
	limiter, err := weir.New(weir.PerMinute(2))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()

	engine := gin.New()
	logins := engine.Group("/login", Limit(httplimit.New(limiter, httplimit.ByIP(), httplimit.WithCountOnly(httplimit.Failures))))
	logins.POST("", func(c *gin.Context) {
		if c.Query("password") == "right" {
			c.Redirect(http.StatusSeeOther, "/")
			return
		}
		c.AbortWithStatus(http.StatusUnauthorized)
	})

	for _, password := range []string{"right", "right", "right", "a", "b", "c"} {
		w := httptest.NewRecorder()
		engine.ServeHTTP(w, httptest.NewRequest("POST", "/login?password="+password, nil))
		fmt.Printf("%d %q\n", w.Code, w.Header().Get("X-RateLimit-Remaining"))
	}
	// Output:
	// 303 ""
	// 303 ""
	// 303 ""
	// 401 "1"
	// 401 "0"
	// 429 "0"
}
