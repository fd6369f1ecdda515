package daemon

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// What one request does to a limit of 3/min, seen by what remains after it.
func TestOptionsOfACheck(t *testing.T) {
	const limit = "layers: [{name: edge, by: ip, limit: 3/min}]"
	for _, c := range []struct {
		name   string
		query  string
		status int
		told   string // remaining, as the answer says
		left   string // remaining, as the next peek says
	}{
		{"no query", "", 200, "2", "2"},
		{"one", "?cost=1", 200, "2", "2"},
		{"two", "?cost=2", 200, "1", "1"},
		{"all there is", "?cost=3", 200, "0", "0"},
		{"more than there is", "?cost=4", 429, "3", "3"},
		{"the largest", "?cost=9223372036854775807", 429, "3", "3"},
		{"nothing", "?cost=0", 200, "3", "3"},
		{"peek", "?peek=1", 200, "3", "3"},
		{"peek at a cost", "?cost=3&peek=1", 200, "3", "3"},
		{"peek at too much", "?peek=1&cost=4", 429, "3", "3"},
		{"no peek", "?peek=0", 200, "2", "2"},
		{"refused as 403", "?cost=4&deny=403", 403, "3", "3"},
		{"refused as 401", "?deny=401&cost=4", 401, "3", "3"},
		{"the client's own query", "?q=a&page=2&costs=9&Peek=1", 200, "2", "2"},
		{"the client's own query is broken", "?%zz&a;b&=&q=%", 200, "2", "2"},
		{"the first counts: the client's is appended", "?cost=2&cost=0", 200, "1", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, limit)
			got := s.send(request{target: "/check" + c.query})
			if got.status != c.status || got.header.Get("X-RateLimit-Remaining") != c.told {
				t.Errorf("status %d, remaining %s; want %d, %s", got.status, got.header.Get("X-RateLimit-Remaining"), c.status, c.told)
			}
			if left := s.send(request{target: "/check?peek=1"}).header.Get("X-RateLimit-Remaining"); left != c.left {
				t.Errorf("afterwards %s remain, want %s", left, c.left)
			}
		})
	}
}

// A peek makes no key, however often and for whomever it comes.
func TestPeekLeavesNothingBehind(t *testing.T) {
	s := newService(t, "")
	for i := range 50 {
		s.send(request{target: "/check/search?peek=1", from: "203.0.113." + strconv.Itoa(i)})
		s.post("/v1/take", `{"key": "`+strconv.Itoa(i)+`", "limit": "5/min", "peek": true}`, http.StatusOK, &take{})
	}
	if n := s.store.Len(); n != 0 {
		t.Errorf("%d keys are there after nothing but peeks", n)
	}
}

func TestEveryMethodIsChecked(t *testing.T) {
	s := newService(t, "layers: [{name: l, by: [ip, method], match: {method: [GET, POST]}, limit: 1/min}]")
	for _, c := range []struct {
		method string
		want   [2]int
	}{
		{"GET", [2]int{200, 429}}, {"HEAD", [2]int{200, 429}}, {"POST", [2]int{200, 429}},
		{"PUT", [2]int{200, 200}}, {"OPTIONS", [2]int{200, 200}}, {"PURGE", [2]int{200, 200}},
	} {
		for i, want := range c.want {
			if a := s.send(request{method: c.method, target: "/check"}); a.status != want {
				t.Errorf("%s, call %d: status %d, want %d", c.method, i+1, a.status, want)
			}
		}
	}
}

// What a peer may say of the request to judge.
func TestForwardedRequestIsBelievedFromTrustedPeersOnly(t *testing.T) {
	const config = `
trusted_proxies: [10.0.0.0/8]
layers:
  - name: l
    by: [ip, route]
    routes: {/: 100/min, "POST api.example/search": 1/min}
`
	forwarded := map[string]string{
		"X-Forwarded-For": "203.0.113.9, 198.51.100.4", "X-Forwarded-Method": "POST",
		"X-Forwarded-Host": "api.example", "X-Forwarded-Uri": "/search?q=a",
	}
	for _, c := range []struct {
		name, peer  string
		header      map[string]string
		limit, from string
	}{
		{"a trusted peer", "10.1.2.3", forwarded, "1", "198.51.100.4"},
		{"a trusted peer, an absolute URI", "10.1.2.3", with(forwarded, "X-Forwarded-Uri", "https://x/search"), "1", "198.51.100.4"},
		{"a trusted peer that says nothing", "10.1.2.3", nil, "100", "10.1.2.3"},
		{"a trusted peer, junk as address", "10.1.2.3", with(forwarded, "X-Forwarded-For", "unknown"), "1", "10.1.2.3"},
		{"anybody else", "192.0.2.1", forwarded, "100", "192.0.2.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, config)
			a := s.send(request{target: "/check", from: c.peer, header: c.header})
			if got := a.header.Get("X-RateLimit-Limit"); got != c.limit {
				t.Errorf("the limit is %s, want %s", got, c.limit)
			}
			// The caller's bucket is the one that was charged.
			path, host := "/", ""
			if c.limit == "1" {
				path, host = "/search", "api.example"
			}
			var got take
			s.post("/v1/take", `{"attributes": {"ip": "`+c.from+`", "method": "POST", "host": "`+host+`", "path": "`+path+`"}, "peek": true}`, http.StatusOK, &got)
			if l := got.Limits[0]; l.Limit-l.Remaining != 1 {
				t.Errorf("%s has used %d, want 1", c.from, l.Limit-l.Remaining)
			}
		})
	}
}

func with(header map[string]string, name, value string) map[string]string {
	changed := map[string]string{name: value}
	for n, v := range header {
		if n != name {
			changed[n] = v
		}
	}
	return changed
}

// Two lines of what one proxy sets: one of them is the client's own.
func TestForwardedFieldSaidTwiceIsRefused(t *testing.T) {
	for _, name := range []string{"X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host"} {
		s := newService(t, "trusted_proxies: [127.0.0.1]\nlayers: [{name: l, by: ip, limit: 1/min}]")
		url := serve(t, s.handler)
		r, _ := http.NewRequest(http.MethodGet, url+"/check", nil)
		r.Header[name] = []string{"/search", "/free"}
		status, body := do(t, r)
		if status != http.StatusBadRequest || !strings.Contains(body, name+" stands there twice.") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}
