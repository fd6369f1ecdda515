package proxies

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirhq/weir/internal/certtest"
	"github.com/weirhq/weir/internal/proxytest"
)

// patientEnvoy has Envoy wait longer than its file says, where that is not what is
// tested: a machine that is busy may need it.
var patientEnvoy = []string{" timeout: 0.2s", " timeout: 20s", "connect_timeout: 0.1s", "connect_timeout: 10s"}

var failClosed = []string{"failure_mode_allow: true", "failure_mode_allow: false"}

func TestEnvoy(t *testing.T) {
	p := proxytest.Promises{Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Early: true, HTTP11: true}
	proxytest.RunGRPC(t, p, proxytest.Variants{Patient: patientEnvoy, Closed: failClosed}, startImpatient)
}

// Over HTTP Envoy takes any 5xx for a failure, weir's own too.
func TestEnvoyHTTP(t *testing.T) {
	p := proxytest.Promises{
		Allowed: proxytest.RateHeaders, Body: proxytest.WeirBody, Open: true, Undecided: true, Early: true, HTTP11: true,
	}
	proxytest.Run(t, "envoy", p, proxytest.Variants{Patient: patientEnvoy, Closed: failClosed}, startEnvoyHTTP)
}

// The page's block makes Envoy and weir show each other certificates.
func TestEnvoyTLS(t *testing.T) {
	t.Parallel()
	dir, ca, upstream := t.TempDir(), certtest.NewAuthority(t), proxytest.StartUpstream(t)
	cert, key := ca.Issue(t, dir, "weir")
	root := filepath.Join(dir, "ca.pem")
	ca.Write(t, root)
	weir := proxytest.StartWeirGRPC(t, "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", root)
	ask := func(t *testing.T, client *certtest.Authority, weirName, rootOfWeir string) proxytest.Answer {
		t.Helper()
		cert, key := client.Issue(t, t.TempDir(), "envoy")
		block := strings.NewReplacer("/etc/envoy/client.pem", cert, "/etc/envoy/client.key", key, "/etc/envoy/ca.pem", rootOfWeir, "weir.internal", weirName).
			Replace(pageBlock(t, "transport_socket:"))
		const after = "connect_timeout: 0.1s\n"
		listen := startPatient(t, weir, upstream.Addr,
			after, "connect_timeout: 10s\n"+block, "failure_mode_allow: true", "failure_mode_allow: false")
		return proxytest.NewClient(t, "127.0.8.10", listen).Get("/many")
	}
	t.Run("shown", func(t *testing.T) {
		if a := ask(t, ca, "localhost", root); a.Status != 200 || a.Header.Get("X-Ratelimit-Limit") != "1000" {
			t.Errorf("%+v", a)
		}
	})
	stranger := certtest.NewAuthority(t)
	for _, one := range []struct {
		name     string
		client   *certtest.Authority
		weirName string
	}{
		{"Envoy's is a stranger's", stranger, "localhost"},
		{"weir's has another name", ca, "elsewhere.example"},
	} {
		t.Run(one.name, func(t *testing.T) {
			if a := ask(t, one.client, one.weirName, root); a.Status != 503 || a.Seen != nil {
				t.Errorf("%+v", a)
			}
		})
	}
}

// A layer in shadow refuses nobody, and no field tells of it.
func TestEnvoyShadow(t *testing.T) {
	t.Parallel()
	policy := writePolicy(t, "trusted_proxies: [127.0.0.1/32]\nlayers:\n  - {name: edge, by: ip, limit: 100/h}\n  - {name: trial, by: ip, limit: 1/h, shadow: true}\n")
	weir, upstream := proxytest.StartWeirGRPC(t, "--config", policy), proxytest.StartUpstream(t)
	c := proxytest.NewClient(t, "127.0.8.11", startPatient(t, weir, upstream.Addr))
	for range 3 {
		if a := c.Get("/"); a.Status != 200 || a.Header.Get("X-Ratelimit-Limit") != "100" || strings.Contains(a.Header.Get("Ratelimit-Policy"), "trial") {
			t.Errorf("%+v", a)
		}
	}
}

// A route's context_extensions are options, and what a client writes is not.
func TestEnvoyOptions(t *testing.T) {
	t.Parallel()
	const route = "- match: {prefix: /}\n"
	weir, upstream := proxytest.StartWeirGRPC(t), proxytest.StartUpstream(t)
	block := "                        - match: {prefix: /address}\n                          route: {cluster: api}\n" + pageBlock(t, "typed_per_filter_config:")
	listen := startPatient(t, weir, upstream.Addr, "                        "+route, block+"                        "+route)
	c := proxytest.NewClient(t, "127.0.8.12", listen)
	if a := c.Get("/address?cost=1", "cost", "1"); a.Status != 200 || a.Header.Get("X-Ratelimit-Remaining") != "2" {
		t.Errorf("%+v", a)
	}
	if a := c.Get("/address"); a.Status != 403 || a.Header.Get("Weir-Status") != "429" || a.Header.Get("Retry-After") == "" {
		t.Errorf("%+v", a)
	}
}

// The page's access log tells what weir decided.
func TestEnvoyAccessLog(t *testing.T) {
	t.Parallel()
	weir, upstream, file := proxytest.StartWeirGRPC(t), proxytest.StartUpstream(t), filepath.Join(t.TempDir(), "access.log")
	const after = "stat_prefix: http\n"
	c := proxytest.NewClient(t, "127.0.8.13", startPatient(t, weir, upstream.Addr,
		after, after+strings.Replace(pageBlock(t, "access_log:"), "/dev/stdout", file, 1)))
	c.Get("/once")
	id := c.Get("/once").Header.Get("Weir-Decision")
	until(t, "the refusal is in the log", func() bool {
		text, _ := os.ReadFile(file)
		return strings.Contains(string(text), "GET /once 200 allowed endpoint ") && strings.Contains(string(text), "GET /once 429 limited endpoint "+id+"\n")
	})
}

// Behind another proxy, without the line that takes X-Forwarded-For away, the
// client is the last that no trusted proxy is.
func TestEnvoyBehind(t *testing.T) {
	const other = "127.0.6.1"
	policy := writePolicy(t, "trusted_proxies: [127.0.0.1/32, "+other+"/32]\nlayers:\n  - {name: edge, by: ip, limit: 1/h}\n")
	changes := append([]string{"                        - remove: x-forwarded-for\n", ""}, patientEnvoy...)
	for _, one := range []struct {
		name  string
		weir  *proxytest.Weir
		start proxytest.Start
	}{
		{"gRPC", proxytest.StartWeirGRPC(t, "--config", policy), startImpatient},
		{"HTTP", proxytest.StartWeir(t, "envoy", "--config", policy), startEnvoyHTTP},
	} {
		t.Run(one.name, func(t *testing.T) {
			listen := one.start(t, one.weir, proxytest.StartUpstream(t).Addr, changes...)
			testBehindAt(t, other, listen)
			forged(t, listen)
		})
	}
}

// forged has a client that comes without the other proxy name an address that is
// used up, and one that is not.
func forged(t *testing.T, listen string) {
	t.Helper()
	c := proxytest.NewClient(t, "127.0.8.18", listen)
	if a := c.Get("/once", "X-Forwarded-For", "203.0.113.5"); a.Status != 200 {
		t.Errorf("%+v", a)
	}
	if a := c.Get("/once", "X-Forwarded-For", "203.0.113.99"); a.Status != 429 {
		t.Errorf("%+v", a)
	}
}

// An Envoy that weir does not trust gives all its clients one address, its own.
func TestEnvoyNotTrusted(t *testing.T) {
	t.Parallel()
	policy := writePolicy(t, "layers:\n  - {name: edge, by: ip, limit: 1/h}\n")
	weir, upstream := proxytest.StartWeirGRPC(t, "--config", policy), proxytest.StartUpstream(t)
	listen := startPatient(t, weir, upstream.Addr)
	if a := proxytest.NewClient(t, "127.0.8.14", listen).Get("/"); a.Status != 200 {
		t.Errorf("%+v", a)
	}
	if a := proxytest.NewClient(t, "127.0.8.15", listen).Get("/"); a.Status != 429 {
		t.Errorf("%+v", a)
	}
}

// An API that breaks off gets no request twice, and its client the rate fields.
func TestEnvoyAPIBreaksOff(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(api.Close)
	listen := startPatient(t, proxytest.StartWeirGRPC(t), strings.TrimPrefix(api.URL, "http://"))
	a := proxytest.NewClient(t, "127.0.8.16", listen).Send(http.MethodPost, "/many", "body")
	if a.Status != http.StatusServiceUnavailable || a.Header.Get("X-Ratelimit-Limit") != "1000" || requests.Load() != 1 {
		t.Errorf("%d requests, answered %+v", requests.Load(), a)
	}
}

// A weir that hangs makes three requests wait, and no more until it is asked again.
func TestEnvoyStopsAsking(t *testing.T) {
	t.Parallel()
	weir, upstream, admin := proxytest.StartWeirGRPC(t), proxytest.StartUpstream(t), proxytest.FreeAddr(t)
	c := proxytest.NewClient(t, "127.0.8.17", startImpatient(t, weir, upstream.Addr,
		"static_resources:\n", "admin: {address: {socket_address: {address: 127.0.0.1, port_value: "+port(t, admin)+"}}}\nstatic_resources:\n",
		"connect_timeout: 0.1s", "connect_timeout: 10s", "base_ejection_time: 1s", "base_ejection_time: 60s", "max_ejection_time: 1s", "max_ejection_time: 60s"))
	weir.Pause()
	defer weir.Resume()
	for range 30 {
		if a := c.Get("/many"); a.Status != 200 {
			t.Fatalf("%+v", a)
		}
	}
	// Envoy's threads tell each other after the third, and one more may be on its way.
	const asked = "cluster.weir.upstream_rq_total"
	a := proxytest.NewClient(t, "127.0.0.1", admin).Get("/stats?filter=" + asked)
	if n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(a.Body), asked+": ")); err != nil || n < 3 || n > 6 {
		t.Errorf("of 30 requests %s", a.Body)
	}
}

func writePolicy(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A weir that answers 503 is asked on: what it has decided for others holds.
func TestEnvoyHTTPAsksOn(t *testing.T) {
	t.Parallel()
	weir, upstream := proxytest.StartWeir(t, "envoy", "--store", "redis://"+proxytest.FreeAddr(t)), proxytest.StartUpstream(t)
	c := proxytest.NewClient(t, "127.0.8.19", startEnvoyHTTP(t, weir, upstream.Addr, patientEnvoy...))
	for range 10 {
		if a := c.Get("/denied"); a.Status != 200 || a.Header.Get("X-Ratelimit-Limit") != "" {
			t.Fatalf("%+v", a)
		}
	}
	if a := c.Get("/many"); a.Header.Get("X-Ratelimit-Limit") != "1000" {
		t.Errorf("%+v", a)
	}
}

// pageBlock is the YAML block of envoy.md that begins with a line, as deep in
// another as it stands there.
func pageBlock(t *testing.T, begin string) string {
	t.Helper()
	text, err := os.ReadFile("envoy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if strings.HasPrefix(strings.TrimSpace(block), begin) {
			return block
		}
	}
	t.Fatalf("envoy.md has no block that begins with %q", begin)
	return ""
}

// startPatient starts Envoy as it asks over gRPC.
func startPatient(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return startImpatient(t, weir, upstream, append(changes, patientEnvoy...)...)
}

// startImpatient is startPatient with the timeout of the file.
func startImpatient(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return startEnvoy(t, "envoy-ext-authz.yaml", "8081", weir, upstream, changes...)
}

func startEnvoyHTTP(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
	t.Helper()
	return startEnvoy(t, "envoy-ext-authz-http.yaml", "8080", weir, upstream, changes...)
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
	proxytest.StartProxy(t, listen, "envoy", "--config-path", config, "--disable-hot-restart", "--concurrency", "1",
		"--file-flush-interval-msec", "20", "--log-level", "warning")
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
