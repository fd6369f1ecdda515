package daemon

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// wrong is a request that nobody should send, and what is said to whoever does.
type wrong struct {
	name         string
	method, path string // default POST /v1/take
	header       map[string]string
	body         string
	status       int // default 400
	detail       string
}

// Bad input is answered with the right status and a sentence that says what is
// wrong, over real HTTP, and changes nothing.
func TestBadInputIsAnswered(t *testing.T) {
	d := start(t, Options{})
	for i := range badTakes {
		c := badTakes[i]
		t.Run("take/"+c.name, func(t *testing.T) { c.test(t, d.http, "POST", "/v1/take") })
	}
	for i := range badChecks {
		c := badChecks[i]
		t.Run("check/"+c.name, func(t *testing.T) { c.test(t, d.http, "GET", "/check") })
	}
	for i := range badAdmin {
		c := badAdmin[i]
		t.Run("admin/"+c.name, func(t *testing.T) { c.test(t, d.admin, "GET", "/") })
	}
	if panics := d.log.all("panic"); len(panics) > 0 {
		t.Errorf("%s", panics)
	}
	if n := d.status(t).Store.Keys; n != 0 {
		t.Errorf("%d keys were made", n)
	}
}

func TestAdminPortAsksForItsToken(t *testing.T) {
	d := start(t, Options{Token: "token"})
	for i := range badTokens {
		c := badTokens[i]
		t.Run(c.name, func(t *testing.T) { c.test(t, d.admin, "GET", "/") })
	}
	for _, c := range []struct{ name, path, authorization, host string }{
		{"health, for orchestrators", "/healthz", "", ""},
		{"readiness, for orchestrators", "/readyz", "", ""},
		{"with the token", "/metrics", "Bearer token", ""},
		{"the scheme in lower case", "/metrics", "bearer token", ""},
		{"with the token, under another name", "/metrics", "Bearer token", "weir.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := http.NewRequest(http.MethodGet, d.admin+c.path, nil)
			r.Host = c.host
			r.Header.Set("Authorization", c.authorization)
			if status, body := do(t, r); status != http.StatusOK {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}

func (c *wrong) test(t *testing.T, base, method, path string) {
	if c.method != "" {
		method = c.method
	}
	if c.path != "" {
		path = c.path
	}
	if c.status == 0 {
		c.status = http.StatusBadRequest
	}
	r, err := http.NewRequest(method, base+path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range c.header {
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var p problemBody
	if err := json.NewDecoder(a.Body).Decode(&p); err != nil {
		t.Fatal(err)
	}
	if a.StatusCode != c.status || p.Status != c.status || p.Type != "about:blank" || p.Title != http.StatusText(c.status) {
		t.Errorf("status %d, want %d: %+v", a.StatusCode, c.status, p)
	}
	if p.Detail != c.detail && !(strings.HasPrefix(p.Detail, c.detail) && !strings.HasSuffix(c.detail, ".")) {
		t.Errorf("got  %s\nwant %s", p.Detail, c.detail)
	}
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type is %s", got)
	}
	if n := len(p.Detail); n > 500 {
		t.Errorf("the detail has %d bytes", n)
	}
	if (c.status == http.StatusUnauthorized) != (a.Header.Get("WWW-Authenticate") != "") {
		t.Errorf("WWW-Authenticate is %q", a.Header.Get("WWW-Authenticate"))
	}
	if (c.status == http.StatusMethodNotAllowed) != (a.Header.Get("Allow") != "") {
		t.Errorf("Allow is %q", a.Header.Get("Allow"))
	}
}
