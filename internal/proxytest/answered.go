package proxytest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func (p Promises) allowed(t *testing.T, c *Client) {
	a := c.Get("/many?a=1")
	passes(t, a)
	for _, name := range p.Allowed {
		if len(a.Header[name]) != 1 || a.Header[name][0] == "" {
			t.Errorf("%s is %q", name, a.Header[name])
		}
	}
	if len(p.Allowed) > 0 {
		limitIs(t, a, 1000)
		if got := a.Header["Weir-Degraded"]; len(got) > 0 && slices.Contains(p.Allowed, "Weir-Decision") {
			t.Errorf("Weir-Degraded is %q", got)
		}
	}
}

func (p Promises) refused(t *testing.T, c *Client) {
	passes(t, c.Get("/once"))
	a := c.Get("/once")
	limitIs(t, a, 1)
	for _, name := range RateHeaders {
		if len(a.Header[name]) != 1 || a.Header[name][0] == "" {
			t.Errorf("%s is %q", name, a.Header[name])
		}
	}
	if got := a.Header.Get("X-Ratelimit-Remaining"); got != "0" {
		t.Errorf("%s remain", got)
	}
	if got := a.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 3600 {
		t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
	}
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type is %q", got)
	}
	if !strings.Contains(a.Body, `"https://iana.org/assignments/http-problem-types#quota-exceeded"`) {
		t.Errorf("the body is %q", a.Body)
	}
	if p.Body == WeirBody && !strings.Contains(a.Body, `"violated-policies"`) {
		t.Errorf("the body is %q", a.Body)
	}
	if head := c.Send(http.MethodHead, "/once", ""); head.Status != http.StatusTooManyRequests || head.Body != "" {
		t.Errorf("HEAD: %d %q", head.Status, head.Body)
	}
	if p.Early {
		limitIs(t, c.SendRaw("POST /once HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 1000000\r\n\r\nand no more"), 1)
	}
}

// method tells by the limits that weir met which methods it was told of.
func method(t *testing.T, c *Client) {
	body := strings.Repeat("a body of some length ", 1000)
	for _, one := range []struct {
		method, body string
		limit        int
	}{{"GET", "", 2}, {"POST", body, 3}, {"HEAD", "", 4}} {
		for range one.limit {
			a := c.Send(one.method, "/method", one.body)
			if one.method != http.MethodHead {
				passes(t, a)
				if a.Seen.Method != one.method || a.Seen.Body != shown(one.body) {
					t.Fatalf("the upstream saw %s with %s, not %s with %s", a.Seen.Method, a.Seen.Body, one.method, shown(one.body))
				}
			}
		}
		limitIs(t, c.Send(one.method, "/method", one.body), one.limit)
	}
}

func uri(t *testing.T, c *Client) {
	// weir must not take the client's query for its own options.
	const uri = "/path/a%20b%2Fc+d/end?q=1%262&cost=7&peek=1&deny=418&accel=@x&explain=1"
	for range 6 {
		a := c.Get(uri)
		passes(t, a)
		if a.Seen.URI != uri {
			t.Fatalf("the upstream saw %s", a.Seen.URI)
		}
	}
	limitIs(t, c.Get(uri), 6)
}

// wholeURI names the same path with scheme and host before it, as HTTP/1.1 allows.
func wholeURI(t *testing.T, c *Client) {
	passes(t, c.Get("/once"))
	limitIs(t, c.SendRaw("GET http://api.example.com/once HTTP/1.1\r\nHost: api.example.com\r\n\r\n"), 1)
}

// noHost asks as HTTP/1.0 allows.
func (p Promises) noHost(t *testing.T, c *Client) {
	first := c.SendRaw("GET /once HTTP/1.0\r\n\r\n")
	if p.HTTP11 {
		if first.Status != http.StatusUpgradeRequired {
			t.Errorf("got %d %s", first.Status, first.Body)
		}
		return
	}
	passes(t, first)
	limitIs(t, c.SendRaw("GET /once HTTP/1.0\r\n\r\n"), 1)
}

func websocket(t *testing.T, c *Client) {
	a, back := c.Websocket("/once", "there and back")
	if a.Status != http.StatusSwitchingProtocols || back != "there and back" {
		t.Fatalf("got %d %v, and back came %q", a.Status, a.Header, back)
	}
	a, _ = c.Websocket("/once", "")
	limitIs(t, a, 1)
}

// tunnel asks for HTTP/2 over the connection. An upstream that agreed would get
// request after request of which nobody asks weir.
func tunnel(t *testing.T, c *Client) {
	for _, upgrade := range []string{"h2c", "websocket, h2c", "h2c\r\nUpgrade: websocket"} {
		a := c.SendRaw("GET /many HTTP/1.1\r\nHost: " + c.proxy + "\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " + upgrade +
			"\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n")
		if got := a.Header.Get("Upgrade"); a.Status == http.StatusSwitchingProtocols && got != "websocket" {
			t.Errorf("Upgrade: %s: the upstream may speak %q", upgrade, got)
		}
	}
}

func address(t *testing.T, c, other *Client) {
	for range 5 {
		passes(t, c.Get("/address"))
	}
	limitIs(t, c.Get("/address"), 5)
	passes(t, other.Get("/address"))
}

func apiKey(t *testing.T, c *Client) {
	passes(t, c.Get("/once"))
	limitIs(t, c.Get("/once"), 1)
	passes(t, c.Get("/once", "X-API-Key", "k1"))
}

// heavy sends more header than weir reads, which must not make the request one that
// passes because weir does not answer.
func heavy(t *testing.T, c *Client) {
	passes(t, c.Get("/once"))
	for size := 1000; size < 1000_000; size += 50 + max(0, size-20_000)/4 {
		if c.gets("/once?"+strings.Repeat("x", min(size/2, 4000)), "X-Heavy", strings.Repeat("x", size-min(size/2, 4000))) {
			t.Errorf("%d bytes have the request pass", size)
		}
	}
}

// odd sends what weir may not understand, or what is taken from the check on its
// way, which must not make a request one that passes because weir does not answer.
func odd(t *testing.T, c *Client) {
	passes(t, c.Get("/once"))
	for _, header := range []string{
		"Expect: miracles", "Expect: 100-continue\r\nContent-Length: 0", "X-Odd: \x01", "X-Odd: \xff", "X(Odd): 1", "X-Odd : 1", "X_Odd: 1", ": 1", "X-Odd: 1\r\n\t2",
		"Connection: close, X-Real-IP, X-Original-URI, X-Original-Method, X-Forwarded-For, X-Forwarded-Uri, X-Forwarded-Method",
		"Transfer-Encoding: chunked\r\nTrailer: X-Real-IP", "Transfer-Encoding: gzip", "Content-Length: 0\r\nContent-Length: 0", "TE: trailers, chunked",
		"Upgrade: websocket", "Range: bytes=0-", "Host: elsewhere.example", "Authorization: Basic \xff", "Content-Type: \"", "traceparent: 1",
	} {
		if a, answered := c.try("GET /once HTTP/1.1\r\nHost: api.example.com\r\n" + header + "\r\n\r\n0\r\nX-Real-IP: 203.0.113.9\r\n\r\n"); answered && a.Status < 400 {
			t.Errorf("%q has the request pass: %+v", header, a)
		}
	}
}

// listed is refused for whose request it is, which no waiting changes.
func listed(t *testing.T, c *Client) {
	a := c.Get("/many")
	if a.Status != http.StatusForbidden || a.Seen != nil || a.Header.Get("Retry-After") != "" {
		t.Errorf("got %d %v %s", a.Status, a.Header, a.Body)
	}
}

// spoof is what a client sends who wants to be taken for another, or for one who
// asks for something else.
func spoof(ip string) []string {
	return []string{
		"X-Forwarded-For", ip, "X-Real-IP", ip, "Forwarded", "for=" + ip,
		"X-Original-URI", "/elsewhere", "X-Original-Method", "PUT", "X-Original-Host", "elsewhere.example",
		"X-Forwarded-Uri", "/elsewhere", "X-Forwarded-Method", "PUT", "X-Forwarded-Host", "elsewhere.example",
	}
}

func spoofed(t *testing.T, liar, victim *Client) {
	a := liar.Get("/once", spoof(victim.IP)...)
	passes(t, a)
	seesThrough(t, a.Seen, liar.IP)
	limitIs(t, liar.Get("/once", spoof("203.0.113.77")...), 1)
	limitIs(t, liar.Get("/once", append(spoof("203.0.113.78"), spoof("203.0.113.79")...)...), 1)
	passes(t, victim.Get("/once"))
}

// seesThrough checks that the upstream is told of the client's address and
// request what is true, or nothing.
func seesThrough(t *testing.T, seen *Seen, ip string) {
	t.Helper()
	for name, truth := range map[string]string{
		"X-Forwarded-For": ip, "X-Real-Ip": ip, "Forwarded": "for=" + ip,
		"X-Original-Uri": "/once", "X-Original-Method": "GET", "X-Original-Host": seen.Host,
		"X-Forwarded-Uri": "/once", "X-Forwarded-Method": "GET", "X-Forwarded-Host": seen.Host,
	} {
		if got := strings.Join(seen.Header[name], ", "); got != "" && got != truth {
			t.Errorf("the upstream saw %s: %s", name, got)
		}
	}
	if got := seen.Header.Get("X-Forwarded-For"); got != ip {
		t.Errorf("the upstream saw X-Forwarded-For: %q", got)
	}
}

// reuse counts connections for many checks.
func (p Promises) reuse(t *testing.T, c *Client, weir *Weir) {
	before := weir.Connections()
	for range 60 {
		passes(t, c.Get("/many"))
	}
	if made := weir.Connections() - before; made > max(1, p.Connections) {
		t.Errorf("%d connections for 60 checks", made)
	}
}

// undecided has weir say that it has no decision and that this means no. Even a
// proxy that lets requests pass while weir is silent has to do as it says, if it
// can tell the one from the other.
func (p Promises) undecided(t *testing.T, c *Client, weir *Weir) {
	weir.Stop()
	weir.args = append(weir.args, "--store", "redis://"+FreeAddr(t))
	weir.Start()
	recovers(t, c)
	a := c.Get("/denied")
	if p.Undecided {
		passes(t, a)
	} else if a.Status != http.StatusServiceUnavailable || a.Seen != nil {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
}

// passes wants the upstream's answer.
func passes(t *testing.T, a Answer) {
	t.Helper()
	if a.Status != http.StatusOK || a.Seen == nil {
		t.Fatalf("got %d %v %s", a.Status, a.Header, a.Body)
	}
}

// limitIs wants an answer decided by the limit of this count; where that gives
// no room, a refusal.
func limitIs(t *testing.T, a Answer, count int) {
	t.Helper()
	if got := a.Header.Get("X-Ratelimit-Limit"); got != strconv.Itoa(count) {
		t.Fatalf("decided by the limit %q, want %d: %d %v %s", got, count, a.Status, a.Header, a.Body)
	}
	if count < 100 && (a.Status != http.StatusTooManyRequests || a.Seen != nil) {
		t.Fatalf("got %d %v %s", a.Status, a.Header, a.Body)
	}
}
