package proxies

import (
	"net"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// Over HTTP Envoy takes any 5xx for a failure, weir's own too.
func TestEnvoyHTTP(t *testing.T) {
	p := proxytest.Promises{
		Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Undecided: true, Early: true, HTTP11: true,
	}
	proxytest.Run(t, "envoy", p, proxytest.Variants{
		Patient: []string{"timeout: 0.2s", "timeout: 20s"},
		Closed:  []string{"failure_mode_allow: true", "failure_mode_allow: false"},
	}, func(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
		return startEnvoy(t, "envoy-ext-authz-http.yaml", "8080", weir, upstream, changes...)
	})
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
