package proxytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Seen is a request as the upstream got it.
type Seen struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

// Upstream is what the proxy protects. Its answers tell what reached it, as the
// JSON of [Seen].
type Upstream struct{ Addr string }

// StartUpstream starts an upstream.
func StartUpstream(t testing.TB) Upstream {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(server.Close)
	return Upstream{strings.TrimPrefix(server.URL, "http://")}
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Seen{r.Method, r.RequestURI, r.Host, string(body), r.Header})
}
