package proxytest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Seen is a request as the upstream got it. The body is as shown tells it.
type Seen struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

// shown is a body itself, or a digest where it is long, so that answers are short:
// Traefik breaks long ones off now and then, if they come while it has not seen
// that the request's body is at its end (github.com/traefik/traefik/issues/11767).
func shown(body string) string {
	if len(body) <= 1000 {
		return body
	}
	return fmt.Sprintf("%d bytes, SHA-256 %x", len(body), sha256.Sum256([]byte(body)))
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
	if r.Header.Get("Upgrade") != "" {
		upgrade(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-RateLimit-Limit", "77") // a limit of the upstream's own, which is not for clients
	w.Header().Set("Weir-Decision", "77")
	w.Header().Set("Weir-Degraded", "77")
	w.Header().Set("RateLimit", `"upstream";r=77;t=77`)
	json.NewEncoder(w).Encode(Seen{r.Method, r.RequestURI, r.Host, shown(string(body)), r.Header})
}

// upgrade speaks as a websocket's server does up to the first frame, and then
// sends back what it gets.
func upgrade(w http.ResponseWriter, r *http.Request) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+r.Header.Get("Upgrade")+
		"\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
	io.Copy(conn, buffered)
}
