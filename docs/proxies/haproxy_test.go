package proxies

import (
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

func TestHAProxy(t *testing.T) {
	p := proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true}
	proxytest.Run(t, "haproxy", p, proxytest.Variants{
		Patient: []string{" 200ms", " 4s"}, // the Lua file's own timeout is 5 s
		Closed:  []string{"http-request lua.weir open", "http-request lua.weir closed"},
	}, startHAProxy)
}

// startHAProxy starts HAProxy with these changes made to haproxy.cfg beside the
// addresses, and returns where it listens.
func startHAProxy(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	listen, local := proxytest.FreeAddr(t), proxytest.FreeAddr(t)
	lua := proxytest.Config(t, "haproxy.lua", "127.0.0.1:8079", local)
	file := proxytest.Config(t, "haproxy.cfg", append(changes,
		"/etc/haproxy/weir.lua", lua,
		"bind :80", "bind "+listen,
		"bind 127.0.0.1:8079", "bind "+local,
		"server weir 127.0.0.1:8080", "server weir "+weir.Addr,
		"server api 127.0.0.1:3000", "server api "+upstream,
	)...)
	proxytest.StartProxy(t, listen, "haproxy", "-db", "-f", file)
	return listen
}
