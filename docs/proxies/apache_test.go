package proxies

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// apacheThreads is how many requests Apache serves at once in these tests. Each
// thread has a connection to weir.
const apacheThreads = 4

var patientApache = []string{"within = 0.2", "within = 20"}

func TestApache(t *testing.T) {
	p := proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true, Connections: apacheThreads}
	proxytest.Run(t, "nginx", p, proxytest.Variants{
		Patient: patientApache,
		Closed:  []string{"local open = true ", "local open = false"},
	}, startApache)
}

func TestApacheBehindAnother(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "nginx"), proxytest.StartUpstream(t)
	testBehind(t, startApacheWith(t, weir, upstream.Addr, []string{
		"UseCanonicalName Off", "UseCanonicalName Off\n    RemoteIPHeader X-Forwarded-For\n    RemoteIPInternalProxy 127.0.0.1",
	}, patientApache))
}

func startApache(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return startApacheWith(t, weir, upstream, nil, changes)
}

// startApacheWith starts Apache with apache.conf in place of
// /etc/apache2/conf-enabled, with changes made to it and to apache.lua beside the
// addresses, and returns where it listens.
func startApacheWith(t *testing.T, weir *proxytest.Weir, upstream string, inConf, inLua []string) string {
	t.Helper()
	listen, dir := proxytest.FreeAddr(t), t.TempDir()
	host, port, err := net.SplitHostPort(weir.Addr)
	if err != nil {
		t.Fatal(err)
	}
	lua := proxytest.Config(t, "apache.lua", append(inLua, `"127.0.0.1", 8080`, `"`+host+`", `+port)...)
	site := proxytest.Config(t, "apache.conf", append(inConf,
		"/etc/apache2/weir.lua", lua,
		"<VirtualHost *:80>", "<VirtualHost "+listen+">",
		"http://127.0.0.1:3000/", "http://"+upstream+"/",
	)...)
	text := `ServerName localhost
DefaultRuntimeDir ` + dir + `
PidFile ` + dir + `/pid
ErrorLog /dev/stderr
Listen ` + listen + `
User www-data
Group www-data
`
	for _, module := range []string{"mpm_event", "authz_core", "lua", "headers", "remoteip", "proxy", "proxy_http"} {
		text += "LoadModule " + module + "_module /usr/lib/apache2/modules/mod_" + module + ".so\n"
	}
	text += fmt.Sprintf("ServerLimit 1\nStartServers 1\nThreadsPerChild %d\nMaxRequestWorkers %[1]d\nInclude %s\n", apacheThreads, site)
	main := filepath.Join(dir, "apache2.conf")
	if err := os.WriteFile(main, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// In one process, for others would outlive the first if that is killed.
	proxytest.StartProxy(t, listen, "apache2", "-X", "-f", main)
	return listen
}
