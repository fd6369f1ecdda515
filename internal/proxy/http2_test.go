package proxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// HTTP/2 passes on either side, in the clear and with TLS, whatever the other
// side speaks.
func TestHTTP2(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "Grpc-Status")
		w.Header().Set("X-Asked-In", r.Proto)
		w.Header().Set("X-Te", r.Header.Get("Te"))
		w.Header().Set("X-Asked-By", r.Header.Get("X-Forwarded-Proto"))
		io.Copy(w, r.Body)
		w.Header().Set("Grpc-Status", "0")
	})
	secure := httptest.NewUnstartedServer(handler)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	clear := httptest.NewUnstartedServer(handler)
	clear.Config.Protocols = new(http.Protocols)
	clear.Config.Protocols.SetHTTP1(true)
	clear.Config.Protocols.SetUnencryptedHTTP2(true)
	clear.Start()
	t.Cleanup(clear.Close)

	for _, c := range []struct{ name, upstream, asked string }{
		{"upstream of HTTP/1", clear.URL, "HTTP/1.1"},
		{"upstream of HTTP/2 in the clear", strings.Replace(clear.URL, "http:", "h2c:", 1), "HTTP/2.0"},
		{"upstream of HTTP/2 over TLS", secure.URL, "HTTP/2.0"},
	} {
		for _, over := range []string{"http", "https"} {
			t.Run(c.name+", client over "+over, func(t *testing.T) {
				r := startHTTP2(t, c.upstream, over == "https")
				r.proxy.client.transport.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
				a, body := r.do(t, "POST", "/", http.Header{"Te": {"trailers"}}, io.MultiReader(strings.NewReader("hello")))
				if a.Proto != "HTTP/2.0" || a.Header.Get("X-Asked-In") != c.asked || a.Header.Get("X-Asked-By") != over {
					t.Errorf("%s in, %s out, from %s", a.Proto, a.Header.Get("X-Asked-In"), a.Header.Get("X-Asked-By"))
				}
				if body != "hello" || a.Trailer.Get("Grpc-Status") != "0" || a.Header.Get("X-Te") != "trailers" {
					t.Errorf("%q %v %v", body, a.Header, a.Trailer)
				}
				if a, _ = r.do(t, "GET", "/", nil, nil); a.StatusCode != 200 || len(a.Header["Ratelimit"]) != 1 {
					t.Errorf("%d %v", a.StatusCode, a.Header)
				}
			})
		}
	}
}

// startHTTP2 is a proxy whose clients speak HTTP/2.
func startHTTP2(t *testing.T, upstream string, secure bool) *running {
	t.Helper()
	r := start(t, wide, upstream)
	server := httptest.NewUnstartedServer(r.proxy)
	transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	if secure {
		server.EnableHTTP2 = true
		server.StartTLS()
		transport.Protocols.SetHTTP2(true)
		transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	} else {
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	t.Cleanup(server.Close)
	t.Cleanup(transport.CloseIdleConnections)
	r.Server = server
	r.client = &http.Client{Transport: transport, Timeout: patience}
	return r
}

// Many at a time over one connection each get their own answer.
func TestHTTP2Interleaves(t *testing.T) {
	r := startHTTP2(t, serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }), false)
	failed := make(chan error, 100)
	for i := range cap(failed) {
		go func() {
			a, err := r.client.Get(fmt.Sprintf("%s/%d", r.URL, i))
			if err == nil {
				var body []byte
				body, err = io.ReadAll(a.Body)
				a.Body.Close()
				if string(body) != fmt.Sprintf("/%d", i) {
					err = fmt.Errorf("%d is answered %q", i, body)
				}
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}
