package forwardauth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// engine records what it is asked and decides nothing.
type engine struct {
	trusted clientip.Prefixes
	asked   *policy.Attributes
	err     error
}

func (e *engine) Decide(_ context.Context, a *policy.Attributes) (weir.Decision, error) {
	e.asked = a
	return weir.Decide(7, nil, nil), e.err
}

func (e *engine) Explain(context.Context, *policy.Attributes) (policy.Explanation, weir.Decision, error) {
	return policy.Explanation{}, weir.Decide(7, nil, nil), e.err
}

func (e *engine) Trusted() clientip.Prefixes { return e.trusted }
func (e *engine) Headers() httplimit.Headers { return httplimit.Headers{} }
func (e *engine) Resolved(clientip.Outcome)  {}

// understood is the request that the engine was asked about.
type understood struct{ ip, method, host, path string }

func (e *engine) understood() understood {
	return understood{e.asked.IP.String(), e.asked.Method, e.asked.Host, e.asked.Path}
}

func ask(e *engine, method, target string, header http.Header) *httptest.ResponseRecorder {
	return askAs(Plain, e, method, target, header)
}

func askAs(p Profile, e *engine, method, target string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.RemoteAddr = "10.0.0.1:5123"
	for name, lines := range header {
		r.Header[name] = lines
	}
	w := httptest.NewRecorder()
	New(e, p).ServeHTTP(w, r)
	return w
}

// No decision is 503, without a figure, a wait, or the cause.
func TestNoDecision(t *testing.T) {
	w := ask(&engine{err: errors.New("redis: dial 10.0.0.9: refused")}, "GET", "/check", nil)
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "10.0.0.9") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for name := range w.Header() {
		if name != "Content-Type" && name != "Cache-Control" {
			t.Errorf("%s: %s", name, w.Header().Get(name))
		}
	}
}

// What the front makes of a request, and of a trusted peer's word for another.
func TestAttributes(t *testing.T) {
	forwarded := http.Header{
		"X-Forwarded-For": {"203.0.113.9", "198.51.100.4, 10.0.0.2"}, "X-Forwarded-Method": {"POST"},
		"X-Forwarded-Host": {"api.example"}, "X-Forwarded-Uri": {"/a%2Fb?q=1"}, "X-Real-Ip": {"192.0.2.1"},
		"X-Original-Uri": {"/other"}, "Forwarded": {"for=192.0.2.2"},
	}
	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	type attributes struct {
		ip, method, host, path string
		trusted, peek          bool
		cost                   int64
	}
	for _, c := range []struct {
		name           string
		trusted        clientip.Prefixes
		method, target string
		header         http.Header
		want           attributes
	}{
		{"by hand", clientip.Prefixes{}, "PUT", "http://weir:8080/check/a%2Fb//c?x=1", nil, attributes{"10.0.0.1", "PUT", "weir:8080", "/a%2Fb//c", false, false, 1}},
		{"nothing behind it", clientip.Prefixes{}, "GET", "http://weir/check?cost=3&peek=1", nil, attributes{"10.0.0.1", "GET", "weir", "", false, true, 3}},
		{"from a stranger", clientip.Prefixes{}, "GET", "http://weir/check/a", forwarded, attributes{"10.0.0.1", "GET", "weir", "/a", false, false, 1}},
		{"from a proxy", trusted, "GET", "http://weir/check", forwarded, attributes{"198.51.100.4", "POST", "api.example", "/a%2Fb?q=1", true, false, 1}},
		{"from a proxy that says nothing", trusted, "GET", "http://weir/check/a", nil, attributes{"10.0.0.1", "GET", "weir", "/a", true, false, 1}},
		{"from a proxy that says it is empty", trusted, "GET", "http://weir/check/a", http.Header{"X-Forwarded-Uri": {""}, "X-Forwarded-Method": {""}, "X-Forwarded-Host": {""}}, attributes{"10.0.0.1", "GET", "weir", "/a", true, false, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &engine{trusted: c.trusted}
			ask(e, c.method, c.target, c.header)
			a := e.asked
			got := attributes{a.IP.String(), a.Method, a.Host, a.Path, a.Trusted, a.Peek, a.Cost}
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// A peer on a Unix socket has no address: it is nobody's, not everybody's.
func TestPeerWithoutAnAddress(t *testing.T) {
	e := &engine{}
	r := httptest.NewRequest(http.MethodGet, "/check", nil)
	r.RemoteAddr = "@"
	New(e, Plain).ServeHTTP(httptest.NewRecorder(), r)
	if e.asked.IP.IsValid() || e.asked.Trusted {
		t.Errorf("%+v", e.asked)
	}
}
