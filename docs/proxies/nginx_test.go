package proxies

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

func TestMain(m *testing.M) { os.Exit(proxytest.Main(m)) }

// patientNginx has nginx wait longer than its files say, where that is not what is
// tested: a machine that is busy may need it. So have the like of other proxies.
var patientNginx = []string{" 200ms;", " 20s;"}

func TestNginxAuthRequest(t *testing.T) {
	testNginx(t, "nginx-auth-request.conf", proxytest.Promises{Allowed: proxytest.RateHeaders, Open: true, Early: true},
		"return 204;", "return 403;")
}

func TestNginxAccel(t *testing.T) {
	testNginx(t, "nginx-accel.conf", proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true},
		"error_page 502 504 = @api;", "error_page 502 504 = @weir_down;")
}

// testNginx tests a file, which the last two make fail closed.
func testNginx(t *testing.T, file string, p proxytest.Promises, open, closed string) {
	proxytest.Run(t, "nginx", p, proxytest.Variants{
		Patient: patientNginx,
		Closed:  []string{open, closed},
	}, nginx(file))
}

func TestNginxBehindAnother(t *testing.T) {
	t.Parallel()
	const realip = "set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; real_ip_recursive on;"
	for _, file := range []string{"nginx-auth-request.conf", "nginx-accel.conf"} {
		weir, upstream := proxytest.StartWeir(t, "nginx"), proxytest.StartUpstream(t)
		testBehind(t, startNginx(t, file, weir, upstream.Addr,
			append([]string{"server_name api.example.com;", "server_name api.example.com; " + realip}, patientNginx...)...))
	}
}

// What nginx itself refuses is not taken for a refusal of weir's.
func TestNginxDeniesItself(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "nginx"), proxytest.StartUpstream(t)
	listen := startNginx(t, "nginx-auth-request.conf", weir, upstream.Addr,
		append([]string{"auth_request /.weir;", "auth_request /.weir; deny 127.0.8.0/24;"}, patientNginx...)...)
	if a := proxytest.NewClient(t, "127.0.8.1", listen).Get("/many"); a.Status != http.StatusForbidden || a.Seen != nil {
		t.Errorf("denied by nginx: %+v", a)
	}
	if a := proxytest.NewClient(t, "127.0.7.1", listen).Get("/many"); a.Status != http.StatusOK {
		t.Errorf("not denied: %+v", a)
	}
}

func nginx(file string) proxytest.Start {
	return func(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
		return startNginx(t, file, weir, upstream, changes...)
	}
}

// startNginx starts nginx with a file of this folder in place of
// /etc/nginx/conf.d, with these changes made to it beside the addresses, and
// returns where it listens.
func startNginx(t *testing.T, file string, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	listen, dir := proxytest.FreeAddr(t), t.TempDir()
	site := proxytest.Config(t, file, append(changes,
		"server 127.0.0.1:8080;", "server "+weir.Addr+";",
		"server 127.0.0.1:3000;", "server "+upstream+";",
		"listen 80;", "listen "+listen+";",
	)...)
	main := filepath.Join(dir, "nginx.conf")
	text := `daemon off;
master_process off; # workers would outlive a master that is killed
error_log stderr notice;
pid ` + dir + `/pid;
events {}
http {
	access_log off;
	client_body_temp_path ` + dir + `/body;
	proxy_temp_path ` + dir + `/proxy;
	fastcgi_temp_path ` + dir + `/fastcgi;
	uwsgi_temp_path ` + dir + `/uwsgi;
	scgi_temp_path ` + dir + `/scgi;
	include ` + site + `;
}
`
	if err := os.WriteFile(main, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	proxytest.StartProxy(t, listen, "nginx", "-e", "stderr", "-c", main)
	return listen
}
