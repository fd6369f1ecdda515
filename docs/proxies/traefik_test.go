package proxies

import (
	"net/http"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/proxytest"
)

func TestTraefik(t *testing.T) {
	testTraefik(t, proxytest.Promises{Body: proxytest.WeirBody, Open: true})
}

func TestTraefikClosed(t *testing.T) {
	testTraefik(t, proxytest.Promises{Body: proxytest.WeirBody}, "fallback: ping@internal", "fallback: closed")
}

// testTraefik keeps Traefik to the promises, with these changes made to its dynamic
// configuration beside the addresses.
func testTraefik(t *testing.T, p proxytest.Promises, changes ...string) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "traefik"), proxytest.StartUpstream(t)
	listen, local := proxytest.FreeAddr(t), proxytest.FreeAddr(t)
	dynamic := proxytest.Config(t, "traefik-weir.yml", append(changes,
		"127.0.0.1:8079", local,
		"127.0.0.1:8080", weir.Addr,
		"127.0.0.1:3000", upstream.Addr,
	)...)
	static := proxytest.Config(t, "traefik.yml",
		`":80"`, listen,
		"127.0.0.1:8079", local,
		"/etc/traefik/weir.yml", dynamic,
	)
	startTraefik(t, listen, static)
	p.Test(t, listen, weir)
}

// startTraefik starts Traefik and waits until it has read its routes: it listens
// before.
func startTraefik(t *testing.T, listen, static string) {
	t.Helper()
	proxytest.StartProxy(t, listen, "traefik", "--configFile="+static)
	c := proxytest.NewClient(t, "127.0.8.3", listen)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); c.Get("/many").Status == http.StatusNotFound; <-tick.C {
		if time.Now().After(end) {
			t.Fatal("Traefik has no routes after 10s")
		}
	}
}
