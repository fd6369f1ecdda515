package proxies

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/proxytest"
)

var (
	patientForwardAuth = []string{"dialTimeout: 100ms", "dialTimeout: 20s", "responseHeaderTimeout: 200ms", "responseHeaderTimeout: 20s"}
	patientPlugin      = []string{"timeout: 200ms", "timeout: 20s"}
)

func TestTraefik(t *testing.T) {
	proxytest.Run(t, "traefik", proxytest.Promises{Body: proxytest.WeirBody, Open: true, Early: true}, proxytest.Variants{
		Patient: patientForwardAuth,
		Closed:  []string{"fallback: ping@internal", "fallback: closed"},
	}, startForwardAuth)
}

func TestTraefikPlugin(t *testing.T) {
	p := proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true}
	proxytest.Run(t, "traefik", p, proxytest.Variants{
		Patient: patientPlugin,
		Closed:  []string{"closed: false", "closed: true"},
	}, startPlugin)
}

func TestTraefikBehindAnother(t *testing.T) {
	t.Parallel()
	const trusted = "\n    forwardedHeaders: {trustedIPs: [127.0.0.1/32]}"
	upstream := proxytest.StartUpstream(t).Addr
	testBehind(t, runForwardAuth(t, trusted, proxytest.StartWeir(t, "traefik"), upstream, append([]string{"trustForwardHeader: false", "trustForwardHeader: true"}, patientForwardAuth...)...))
	testBehind(t, runPlugin(t, trusted, proxytest.StartWeir(t, "traefik"), upstream, patientPlugin...))
}

// Asked straight, weir takes the API with it.
func TestTraefikStraight(t *testing.T) {
	t.Parallel()
	weir := proxytest.StartWeir(t, "traefik")
	listen := startForwardAuth(t, weir, proxytest.StartUpstream(t).Addr, "http://127.0.0.1:8079/check", "http://"+weir.Addr+"/check")
	c := proxytest.NewClient(t, "127.0.8.4", listen)
	if a := c.Get("/many"); a.Status != http.StatusOK || a.Seen == nil {
		t.Errorf("allowed: %+v", a)
	}
	weir.Pause()
	impatient := http.Client{Timeout: 2 * time.Second}
	if a, err := impatient.Get("http://" + listen + "/many"); err == nil {
		t.Errorf("hung: %s", a.Status)
	}
	weir.Resume()
	weir.Stop()
	if a := c.Get("/many"); a.Status != http.StatusInternalServerError {
		t.Errorf("stopped: %+v", a)
	}
}

func startForwardAuth(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return runForwardAuth(t, "", weir, upstream, changes...)
}

func startPlugin(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return runPlugin(t, "", weir, upstream, changes...)
}

// runForwardAuth is startForwardAuth with a text that continues the public entry
// point's address.
func runForwardAuth(t *testing.T, web string, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	listen, local := proxytest.FreeAddr(t), proxytest.FreeAddr(t)
	dynamic := proxytest.Config(t, "traefik-weir.yml", append(changes,
		"127.0.0.1:8079", local,
		"127.0.0.1:8080", weir.Addr,
		"127.0.0.1:3000", upstream,
	)...)
	static := proxytest.Config(t, "traefik.yml", `":80"`, listen+web, "127.0.0.1:8079", local, "/etc/traefik/weir.yml", dynamic)
	runTraefik(t, t.TempDir(), listen, static)
	return listen
}

// runPlugin is startPlugin with a text that continues the public entry point's
// address.
func runPlugin(t *testing.T, web string, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	listen, dir := proxytest.FreeAddr(t), t.TempDir()
	dynamic := proxytest.Config(t, "traefik-plugin/weir.yml", append(changes,
		"127.0.0.1:8080", weir.Addr,
		"127.0.0.1:3000", upstream,
	)...)
	static := proxytest.Config(t, "traefik-plugin/traefik.yml", `":80"`, listen+web, "/etc/traefik/weir.yml", dynamic)
	plugin := filepath.Join(dir, "plugins-local/src/github.com/weirhq/traefik-plugin")
	if err := os.CopyFS(plugin, os.DirFS("traefik-plugin")); err != nil {
		t.Fatal(err)
	}
	runTraefik(t, dir, listen, static)
	return listen
}

// runTraefik runs Traefik in a folder and waits until it has read its routes: it
// listens before.
func runTraefik(t *testing.T, dir, listen, static string) {
	t.Helper()
	proxytest.StartProxyIn(t, dir, listen, "traefik", "--configFile="+static)
	c := proxytest.NewClient(t, "127.0.8.3", listen)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); c.Get("/many").Status == http.StatusNotFound; <-tick.C {
		if time.Now().After(end) {
			t.Fatal("Traefik has no routes after 10s")
		}
	}
}
