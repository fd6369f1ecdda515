package proxies

import (
	"net"
	"net/http"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

var patientCaddy = []string{"dial_timeout 100ms", "dial_timeout 20s", "response_header_timeout 200ms", "response_header_timeout 20s"}

func TestCaddy(t *testing.T) {
	p := proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true}
	proxytest.Run(t, "caddy", p, proxytest.Variants{
		Patient: patientCaddy,
		Closed:  []string{"import api # the", "import closed # the"},
	}, startCaddy)
}

func TestCaddyBehindAnother(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "caddy"), proxytest.StartUpstream(t)
	testBehind(t, runCaddy(t, "Caddyfile", "servers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t}", weir, upstream.Addr, patientCaddy...))
}

// The short way has the limits that the page tells of.
func TestCaddyForwardAuth(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "caddy"), proxytest.StartUpstream(t)
	c := proxytest.NewClient(t, "127.0.8.2", runCaddy(t, "forward_auth.Caddyfile", "", weir, upstream.Addr, patientCaddy...))
	if a := c.Get("/once?cost=7&peek=1"); a.Status != http.StatusOK || a.Seen == nil || a.Header.Get("Weir-Decision") != "77" {
		t.Errorf("allowed: %+v", a)
	}
	if a := c.SendRaw("GET /many HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"); a.Status != http.StatusOK || a.Seen == nil {
		t.Errorf("h2c: %+v", a)
	}
	if a := c.Get("/once"); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" || a.Header.Get("X-Ratelimit-Limit") != "1" {
		t.Errorf("refused: %+v", a)
	}
}

// While weir does not answer, the short way refuses. Without its timeouts it would
// wait for a weir that hangs longer than the client does.
func TestCaddyForwardAuthSilence(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "caddy"), proxytest.StartUpstream(t)
	c := proxytest.NewClient(t, "127.0.8.5", runCaddy(t, "forward_auth.Caddyfile", "", weir, upstream.Addr))
	weir.Pause()
	if a := c.Get("/many"); a.Status != http.StatusGatewayTimeout {
		t.Errorf("hung: %+v", a)
	}
	weir.Resume()
	weir.Stop()
	if a := c.Get("/many"); a.Status != http.StatusBadGateway {
		t.Errorf("stopped: %+v", a)
	}
}

func startCaddy(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return runCaddy(t, "Caddyfile", "", weir, upstream, changes...)
}

// runCaddy runs Caddy with a file of this folder, with these global options
// and changes made to it beside the addresses, and returns where it listens.
func runCaddy(t *testing.T, file, options string, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	listen := proxytest.FreeAddr(t)
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		t.Fatal(err)
	}
	// What Caddy else has at a fixed address and in the home directory.
	options += "\n\tadmin off\n\tpersist_config off\n\tstorage file_system " + t.TempDir()
	config := proxytest.Config(t, file, append(changes,
		"#   weir serve", "{\n\t"+options+"\n}\n#   weir serve", // options stand first
		"127.0.0.1:8080 {", weir.Addr+" {",
		"reverse_proxy 127.0.0.1:3000", "reverse_proxy "+upstream,
		"http://:80 {", "http://:"+port+" {\n\tbind "+host,
	)...)
	proxytest.StartProxy(t, listen, "caddy", "run", "--config", config, "--adapter", "caddyfile")
	return listen
}
