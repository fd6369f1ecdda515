package proxy

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// asked is what an upstream got.
type asked struct {
	host, uri string
	header    http.Header
}

func recordAsked(t *testing.T) (url string, got chan asked) {
	got = make(chan asked, 1)
	return serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got <- asked{r.Host, r.RequestURI, r.Header.Clone()}
	}), got
}

// For whom a request is forwarded: a trusted proxy's word is kept and added to,
// anybody else's is replaced.
func TestForwardedFields(t *testing.T) {
	spoofed := http.Header{
		"X-Forwarded-For": {"203.0.113.9", "198.51.100.4"}, "X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"},
		"X-Forwarded-Port": {"444"}, "X-Forwarded-Prefix": {"/x"}, "Forwarded": {"for=203.0.113.9"}, "X-Real-Ip": {"203.0.113.9"},
		"X_forwarded_for": {"203.0.113.9"}, "X-Forwarded_proto": {"https"}, "X_real_ip": {"203.0.113.9"},
	}
	for _, c := range []struct {
		name, config string
		header       http.Header
		want         string // for | host | proto | port | real
	}{
		{"nothing said", wide, nil, "127.0.0.1|HOST|http||127.0.0.1"},
		{"said by a stranger", wide, spoofed, "127.0.0.1|HOST|http||127.0.0.1"},
		{"nothing said by a proxy", trusted, nil, "127.0.0.1|HOST|http||127.0.0.1"},
		{"said by a proxy", trusted, spoofed, "203.0.113.9, 198.51.100.4, 127.0.0.1|evil.example|https|444|198.51.100.4"},
		{"said twice", trusted, http.Header{"X-Forwarded-Host": {"a", "b"}, "X-Forwarded-Proto": {"https", "http"}}, "127.0.0.1|HOST|http||127.0.0.1"},
		{"junk from a proxy", trusted, http.Header{"X-Forwarded-For": {"unknown"}}, "unknown, 127.0.0.1|HOST|http||127.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, got := recordAsked(t)
			r := start(t, c.config, url)
			r.do(t, "GET", "/", c.header, nil)
			h := (<-got).header
			var parts []string
			for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-Ip"} {
				parts = append(parts, strings.Join(h[name], " AND "))
			}
			want := strings.ReplaceAll(c.want, "HOST", r.Listener.Addr().String())
			if line := strings.Join(parts, "|"); line != want {
				t.Errorf("got  %s\nwant %s", line, want)
			}
			for name := range h {
				if name == "Forwarded" || strings.Contains(name, "_") {
					t.Errorf("%s: %s passes", name, h[name])
				}
			}
		})
	}
}

// The upstream gets the address as it was sent, and the host that was asked for,
// or its own.
func TestTarget(t *testing.T) {
	for _, c := range []struct{ base, sent, want string }{
		{"", "/", "/"},
		{"", "/a%2Fb//c/../d/?x=1;y=%zz&&z", "/a%2Fb//c/../d/?x=1;y=%zz&&z"},
		{"", "//host/path", "//host/path"},
		{"", "/?", "/?"},
		{"", "http://elsewhere.example/p?q", "/p?q"},
		{"/base", "/a%2Fb", "/base/a%2Fb"},
		{"/base/", "/", "/base/"},
	} {
		url, got := recordAsked(t)
		r := start(t, wide, url+c.base)
		readAnswer(t, r.dial(t, "GET "+c.sent+" HTTP/1.1\r\nHost: shop.example\r\n\r\n"), "GET")
		a := <-got
		wantHost := "shop.example"
		if strings.HasPrefix(c.sent, "http:") {
			wantHost = "elsewhere.example"
		}
		if a.uri != c.want || a.host != wantHost {
			t.Errorf("%s on %s: %s of %s", c.sent, c.base, a.uri, a.host)
		}
	}

	url, got := recordAsked(t)
	r := start(t, wide, url, func(o *Options, _ *http.Server) { o.RewriteHost = true })
	readAnswer(t, r.dial(t, "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n"), "GET")
	if a := <-got; "http://"+a.host != url || a.header.Get("X-Forwarded-Host") != "shop.example" {
		t.Errorf("rewritten: %s, %v", a.host, a.header)
	}
}

// Fields that are about one connection stay on it, in both directions; what the
// client did not say is not added.
func TestHopByHopFields(t *testing.T) {
	got := make(chan http.Header, 1)
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header.Clone()
		for _, name := range []string{"Keep-Alive", "Proxy-Authenticate", "X-Hop"} {
			w.Header().Set(name, "1")
		}
		w.Header().Set("Connection", "X-Hop")
	}))
	c := r.dial(t, "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, X-Own, X-Forwarded-For\r\nX-Own: 1\r\nKeep-Alive: 5\r\nProxy-Connection: 1\r\nProxy-Authorization: a\r\nTE: gzip\r\nUpgrade: h2c\r\nX-End: 1\r\n\r\n")
	a := readAnswer(t, c, "GET")
	var names []string
	for name := range <-got {
		names = append(names, name)
	}
	slices.Sort(names)
	if fmt.Sprint(names) != "[X-End X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Real-Ip]" {
		t.Errorf("the upstream got %s", names)
	}
	for _, name := range []string{"Keep-Alive", "Proxy-Authenticate", "X-Hop", "Connection"} {
		if a.Header[name] != nil {
			t.Errorf("the client got %s", name)
		}
	}
}

func readAnswer(t *testing.T, c net.Conn, method string) *http.Response {
	t.Helper()
	a, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Body.Close() })
	return a
}
