package proxies

import (
	"net"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// envoyPromises are those of all files.
var envoyPromises = proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Early: true, HTTP11: true}

// Over HTTP Envoy takes any 5xx for a failure, weir's own too.
func TestEnvoyHTTP(t *testing.T) {
	p := envoyPromises
	p.Open, p.Undecided = true, true
	testEnvoyHTTP(t, p)
}

func TestEnvoyHTTPClosed(t *testing.T) {
	testEnvoyHTTP(t, envoyPromises, "failure_mode_allow: true", "failure_mode_allow: false")
}

func testEnvoyHTTP(t *testing.T, p proxytest.Promises, changes ...string) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "envoy"), proxytest.StartUpstream(t)
	p.Test(t, startEnvoy(t, "envoy-ext-authz-http.yaml", "8080", weir, upstream.Addr, changes...), weir)
}

// startEnvoy starts Envoy with a file of this folder, where weir is at a port, with
// these changes made to it beside the addresses, and returns where it listens.
func startEnvoy(t *testing.T, file, weirPort string, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	listen := proxytest.FreeAddr(t)
	config := proxytest.Config(t, file, append(changes,
		"address: 0.0.0.0, port_value: 80}", "address: 127.0.0.1, port_value: "+port(t, listen)+"}",
		"address: 127.0.0.1, port_value: "+weirPort, "address: 127.0.0.1, port_value: "+port(t, weir.Addr),
		"address: 127.0.0.1, port_value: 3000", "address: 127.0.0.1, port_value: "+port(t, upstream),
	)...)
	// One thread, as each has connections of its own to weir.
	proxytest.StartProxy(t, listen, "envoy", "--config-path", config, "--disable-hot-restart", "--concurrency", "1", "--log-level", "warning")
	return listen
}

func port(t *testing.T, addr string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
