package daemon

import (
	"net/http"
	"testing"
)

// A daemon behind each proxy: what its headers say counts, and only if the peer is
// trusted. The limit of the route shows what was understood.
func TestDaemonRunsTheProfile(t *testing.T) {
	const config = `
layers:
  - name: l
    by: [ip, route]
    routes: {/: 100/min, "POST api.example/search": 10/min, "GET /search": 7/min}
`
	everything := map[string]string{
		"X-Real-Ip": "203.0.113.1", "X-Original-Method": "POST", "X-Original-Uri": "/search?q=a", "X-Original-Host": "api.example",
		"X-Forwarded-For": "203.0.113.2", "X-Forwarded-Method": "POST", "X-Forwarded-Uri": "/other", "X-Forwarded-Host": "api.example",
	}
	for _, c := range []struct{ profile, trusted, strange string }{
		{"plain", "100", "7"}, {"nginx", "10", "7"}, {"haproxy", "10", "7"}, {"caddy", "100", "7"}, {"traefik", "100", "7"}, {"envoy", "7", "7"},
	} {
		t.Run(c.profile, func(t *testing.T) {
			for proxies, want := range map[string]string{"127.0.0.1": c.trusted, "192.0.2.1": c.strange} {
				d := start(t, Options{Profile: c.profile, Config: write(t, "trusted_proxies: ["+proxies+"]"+config)})
				a := checkWith(t, d.http+"/check/search", everything)
				if got := a.Header.Get("X-RateLimit-Limit"); a.StatusCode != http.StatusOK || got != want {
					t.Errorf("trusting %s: status %d, limit %s, want %s", proxies, a.StatusCode, got, want)
				}
			}
		})
	}
}

// In accel mode what is allowed goes on inside nginx; what is refused is the
// answer to the client as always.
func TestAccelSendsNginxOn(t *testing.T) {
	d := start(t, Options{Profile: "nginx", Config: write(t, "trusted_proxies: [127.0.0.1]\nlayers: [{name: l, by: ip, limit: 1/min}]")})
	ask := func() *http.Response {
		return checkWith(t, d.http+"/check?accel=@app", map[string]string{
			"X-Real-Ip": "203.0.113.1", "X-Original-Method": "POST", "X-Original-Uri": "/search?q=a", "X-Original-Host": "api.example",
		})
	}
	if a := ask(); a.StatusCode != http.StatusOK || a.Header.Get("X-Accel-Redirect") != "@app" || a.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("allowed: status %d, %v", a.StatusCode, a.Header)
	}
	a := ask()
	_, sent := a.Header["X-Accel-Redirect"]
	if a.StatusCode != http.StatusTooManyRequests || sent || a.Header.Get("Retry-After") == "" || a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("refused: status %d, %v", a.StatusCode, a.Header)
	}
}

// No other proxy follows X-Accel-Redirect: there the option is a mistake.
func TestAccelIsForNginx(t *testing.T) {
	for _, c := range []struct {
		profile string
		status  int
	}{{"plain", 200}, {"haproxy", 400}, {"caddy", 400}, {"traefik", 400}, {"envoy", 200}} {
		d := start(t, Options{Profile: c.profile, Config: write(t, "trusted_proxies: [127.0.0.1]\nlayers: [{name: l, by: ip, limit: 9/min}]")})
		a := checkWith(t, d.http+"/check?accel=@app", map[string]string{
			"X-Real-Ip": "203.0.113.1", "X-Original-Method": "GET", "X-Original-Uri": "/", "X-Original-Host": "a",
			"X-Forwarded-For": "203.0.113.1", "X-Forwarded-Method": "GET", "X-Forwarded-Uri": "/", "X-Forwarded-Host": "a",
		})
		if _, sent := a.Header["X-Accel-Redirect"]; a.StatusCode != c.status || sent != (c.profile == "plain") {
			t.Errorf("%s: status %d, %v", c.profile, a.StatusCode, a.Header)
		}
	}
}

// checkWith asks with headers and reads the answer's.
func checkWith(t *testing.T, url string, header map[string]string) *http.Response {
	t.Helper()
	r, _ := http.NewRequest(http.MethodGet, url, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	return a
}
