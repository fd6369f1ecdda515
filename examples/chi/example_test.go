// Package chi shows a limit for some of the routes of a chi router.
package chi

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-chi/chi/v5"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// Wrap is a chi middleware as it is. The group's routes share the limit.
func Example() {
	limiter, err := weir.New(weir.PerMinute(2))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	limit := httplimit.New(limiter, httplimit.ByIP())

	router := chi.NewRouter()
	router.Get("/healthz", func(http.ResponseWriter, *http.Request) {})
	router.Group(func(r chi.Router) {
		r.Use(limit.Wrap)
		r.Get("/users/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, chi.URLParam(r, "id")) })
	})

	for _, path := range []string{"/users/1", "/users/2", "/users/3", "/healthz"} {
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(path, w.Code)
	}
	// Output:
	// /users/1 200
	// /users/2 200
	// /users/3 429
	// /healthz 200
}
