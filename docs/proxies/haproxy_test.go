package proxies

import (
	"net/http"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// patientHAProxy stays below the Lua file's own timeout, 5 s.
var patientHAProxy = []string{" 200ms", " 4s"}

func TestHAProxy(t *testing.T) {
	p := proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true}
	proxytest.Run(t, "haproxy", p, proxytest.Variants{
		Patient: patientHAProxy,
		Closed:  []string{"http-request lua.weir open", "http-request lua.weir closed"},
	}, startHAProxy)
}

func TestHAProxyBehindAnother(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "haproxy"), proxytest.StartUpstream(t)
	testBehind(t, startHAProxy(t, weir, upstream.Addr, append([]string{
		"    http-request lua.weir open", "    http-request set-src req.hdr_ip(X-Forwarded-For,-1) if { src 127.0.0.1 }\n    http-request lua.weir open",
	}, patientHAProxy...)...))
}

// A rule's condition says which requests fail closed.
func TestHAProxyPartlyClosed(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "haproxy"), proxytest.StartUpstream(t)
	listen := startHAProxy(t, weir, upstream.Addr, "    http-request lua.weir open ",
		"    http-request lua.weir closed if { path_beg /pay }\n    http-request lua.weir open unless { path_beg /pay } ")
	weir.Stop()
	c := proxytest.NewClient(t, "127.0.8.1", listen)
	if a := c.Get("/pay"); a.Status != http.StatusServiceUnavailable {
		t.Errorf("/pay: %d", a.Status)
	}
	if a := c.Get("/many"); a.Status != http.StatusOK {
		t.Errorf("/many: %d", a.Status)
	}
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
