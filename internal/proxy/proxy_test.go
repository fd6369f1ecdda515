package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

const five = "layers: [{name: edge, by: ip, limit: 5/h}]"

// Exactly as many requests reach the upstream as the policy admits; the rest are
// told so here, with a body and when to come back.
func TestWhatIsRefusedDoesNotReachTheUpstream(t *testing.T) {
	var reached atomic.Int64
	r := start(t, five, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		fmt.Fprint(w, "hello")
	}))
	for i := range 8 {
		a, body := r.do(t, "GET", "/", nil, nil)
		for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit", "Ratelimit-Policy", "Weir-Decision"} {
			if len(a.Header[name]) != 1 {
				t.Errorf("request %d: %s: %q", i, name, a.Header[name])
			}
		}
		if i < 5 {
			if a.StatusCode != 200 || body != "hello" || a.Header.Get("X-RateLimit-Remaining") != fmt.Sprint(4-i) {
				t.Errorf("request %d: %d %q %v", i, a.StatusCode, body, a.Header)
			}
			continue
		}
		var p struct {
			Status   int
			Violated []string `json:"violated-policies"`
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil || p.Status != 429 || fmt.Sprint(p.Violated) != "[edge]" {
			t.Errorf("%v: %s", err, body)
		}
		if a.StatusCode != 429 || a.Header.Get("Retry-After") == "" || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("request %d: %d %v", i, a.StatusCode, a.Header)
		}
	}
	if reached.Load() != 5 {
		t.Errorf("%d reached the upstream", reached.Load())
	}
}

// No decision is 503, without the cause.
func TestNoDecision(t *testing.T) {
	r := start(t, wide, "http://127.0.0.1:1")
	r.engine.err = errors.New("redis: dial 10.0.0.9: refused")
	if a, body := r.do(t, "GET", "/", nil, nil); a.StatusCode != 503 || strings.Contains(body, "10.0.0.9") {
		t.Errorf("%d %s", a.StatusCode, body)
	}
}

// An upstream that has limits of its own is overruled where weir speaks of one,
// and left alone where it does not. A redirect speaks of none.
func TestOfTwoLimitsOneIsTold(t *testing.T) {
	upstream := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-RateLimit-Limit", "7")
		h.Add("RateLimit", `"its";r=1;t=1`)
		h.Set("Retry-After", "9")
		if r.URL.Path == "/cors" {
			h.Set("Access-Control-Allow-Origin", "*")
			h.Set("Access-Control-Expose-Headers", "X-Own")
		}
		if r.URL.Path == "/moved" {
			h.Set("Location", "/")
			w.WriteHeader(http.StatusFound)
		}
	})
	limited := start(t, wide, upstream)
	a, _ := limited.do(t, "GET", "/", nil, nil)
	if got := a.Header["X-Ratelimit-Limit"]; len(got) != 1 || got[0] != "1000000" {
		t.Errorf("limit: %q", got)
	}
	if got := a.Header["Ratelimit"]; len(got) != 1 || !strings.HasPrefix(got[0], `"edge"`) {
		t.Errorf("%q", got)
	}
	if got := a.Header["Retry-After"]; len(got) != 1 || got[0] != "9" {
		t.Errorf("the upstream's Retry-After: %q", got)
	}

	a, _ = limited.do(t, "GET", "/moved", nil, nil)
	if a.StatusCode != 302 || a.Header["X-Ratelimit-Limit"] != nil || a.Header["Ratelimit"] != nil || a.Header.Get("Weir-Decision") == "" {
		t.Errorf("on a redirect: %d %v", a.StatusCode, a.Header)
	}
	a, _ = limited.do(t, "GET", "/cors", nil, nil)
	if got := a.Header["Access-Control-Expose-Headers"]; len(got) != 1 || !strings.HasPrefix(got[0], "X-Own, ") || !strings.Contains(got[0], "X-Ratelimit-Remaining") {
		t.Errorf("exposed: %q", got)
	}

	unlimited := start(t, "layers: [{name: edge, by: ip, limit: unlimited}]", upstream)
	if a, _ = unlimited.do(t, "GET", "/", nil, nil); a.Header.Get("X-RateLimit-Limit") != "7" {
		t.Errorf("without a limit of ours: %v", a.Header)
	}
}

// What cannot be an upstream is refused, in words, and without its password.
func TestParseUpstream(t *testing.T) {
	for _, good := range []string{"http://127.0.0.1:3000", "https://api.example.com", "h2c://[::1]:50051", "http://a/base"} {
		if _, err := ParseUpstream(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "localhost:3000", "127.0.0.1:3000", "/path", "http://", "http://:80", "ftp://a", "http://u:hunter2@a", "http://a?x=1", "http://a#x", "http://a:b:c"} {
		if u, err := ParseUpstream(bad); err == nil {
			t.Errorf("%s is taken for %v", bad, u.url)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

// CONNECT asks for a forward proxy.
func TestConnect(t *testing.T) {
	r := start(t, wide, "http://127.0.0.1:1")
	c := r.dial(t, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
	if a := readAnswer(t, c, "CONNECT"); a.StatusCode != 405 {
		t.Errorf("%d", a.StatusCode)
	}
}
