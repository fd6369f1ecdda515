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
				r, _ := http.NewRequest(http.MethodGet, d.http+"/check/search", nil)
				for name, value := range everything {
					r.Header.Set(name, value)
				}
				a, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				a.Body.Close()
				if got := a.Header.Get("X-RateLimit-Limit"); a.StatusCode != http.StatusOK || got != want {
					t.Errorf("trusting %s: status %d, limit %s, want %s", proxies, a.StatusCode, got, want)
				}
			}
		})
	}
}
