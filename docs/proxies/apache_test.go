package proxies

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// apacheThreads is how many requests Apache serves at once in these tests.
const apacheThreads = "4"

func TestApache(t *testing.T) {
	testApache(t, proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true, Connections: 4})
}

func TestApacheClosed(t *testing.T) {
	testApache(t, proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Connections: 4},
		"local open = true ", "local open = false")
}

func testApache(t *testing.T, p proxytest.Promises, changes ...string) {
	t.Parallel()
	weir, upstream, listen := proxytest.StartWeir(t, "nginx"), proxytest.StartUpstream(t), proxytest.FreeAddr(t)
	host, port, _ := net.SplitHostPort(weir.Addr)
	lua := proxytest.Config(t, "apache.lua", append(changes, `"127.0.0.1", 8080`, `"`+host+`", `+port)...)
	startApache(t, listen, proxytest.Config(t, "apache.conf",
		"/etc/apache2/weir.lua", lua,
		"<VirtualHost *:80>", "<VirtualHost "+listen+">",
		"http://127.0.0.1:3000/", "http://"+upstream.Addr+"/",
	))
	p.Test(t, listen, weir)
}

// startApache starts Apache with a file in place of /etc/apache2/conf-enabled.
func startApache(t *testing.T, listen, file string) {
	t.Helper()
	dir := t.TempDir()
	main := filepath.Join(dir, "apache2.conf")
	text := `ServerName localhost
ServerRoot ` + dir + `
DefaultRuntimeDir ` + dir + `
PidFile ` + dir + `/pid
ErrorLog /dev/stderr
Listen ` + listen + `
User www-data
Group www-data
`
	for _, module := range []string{"mpm_event", "authz_core", "lua", "headers", "proxy", "proxy_http"} {
		text += "LoadModule " + module + "_module /usr/lib/apache2/modules/mod_" + module + ".so\n"
	}
	text += `StartServers 1
ServerLimit 1
ThreadsPerChild ` + apacheThreads + `
MaxRequestWorkers ` + apacheThreads + `
Include ` + file + `
`
	if err := os.WriteFile(main, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	proxytest.StartProxy(t, listen, "apache2", "-DFOREGROUND", "-f", main)
}
