package proxies

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// An API that breaks off is not taken for a weir that does not answer: the request
// would reach it twice.
func TestAPIBreaksOff(t *testing.T) {
	for _, one := range []struct {
		name, profile string
		start         proxytest.Start
		patient       []string
	}{
		{"nginx-auth-request.conf", "nginx", nginx("nginx-auth-request.conf"), patientNginx},
		{"nginx-accel.conf", "nginx", nginx("nginx-accel.conf"), patientNginx},
		{"haproxy.cfg", "haproxy", startHAProxy, patientHAProxy},
		{"apache.conf", "nginx", startApache, patientApache},
		{"Caddyfile", "caddy", startCaddy, patientCaddy},
		{"traefik-plugin", "traefik", startPlugin, patientPlugin},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost { // others only ask whether the proxy is there
					requests.Add(1)
				}
				panic(http.ErrAbortHandler)
			}))
			t.Cleanup(api.Close)
			listen := one.start(t, proxytest.StartWeir(t, one.profile), strings.TrimPrefix(api.URL, "http://"), one.patient...)
			a := proxytest.NewClient(t, "127.0.8.1", listen).Send(http.MethodPost, "/many", "body")
			if a.Status != http.StatusBadGateway || a.Header.Get("X-Ratelimit-Limit") != "1000" || requests.Load() != 1 {
				t.Errorf("%d requests, answered %+v", requests.Load(), a)
			}
		})
	}
}
