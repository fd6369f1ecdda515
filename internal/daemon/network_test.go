package daemon

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// serve runs a handler on a free port and gives its URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// do sends a request and reads the whole answer.
func do(t *testing.T, r *http.Request) (status int, body string) {
	t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	all, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(all)
}
