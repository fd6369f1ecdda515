package proxies

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/certtest"
	"github.com/weirhq/weir/internal/proxytest"
)

// startRateLimit starts weir with the limits of envoy-ratelimit, by the day so that
// nothing comes back while a test runs, and Envoy, each with changes made.
func startRateLimit(t *testing.T, upstream string, limits, envoy []string) (*proxytest.Weir, string) {
	t.Helper()
	t.Parallel()
	file := proxytest.Config(t, "envoy-ratelimit/api.yaml", append(limits, "unit: minute", "unit: day")...)
	weir := proxytest.StartWeirGRPC(t, "--envoy-config", filepath.Dir(file), "--envoy-headers")
	return weir, startEnvoy(t, "envoy-ratelimit.yaml", "8081", weir, upstream, envoy...)
}

func TestEnvoyRateLimit(t *testing.T) {
	weir, listen := startRateLimit(t, proxytest.StartUpstream(t).Addr, nil, patientEnvoy)
	c := proxytest.NewClient(t, "127.0.8.20", listen)
	for left := 4; left >= 0; left-- {
		limited(t, c.Get("/search?q=1"), http.StatusOK, 5, left)
	}
	refused := c.Get("/search")
	limited(t, refused, http.StatusTooManyRequests, 5, 0)
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); refused.Body != "" || err != nil || wait < 1 || wait > 2*86400 {
		t.Errorf("%+v", refused)
	}
	limited(t, c.Get("/search", "X-Forwarded-For", "203.0.113.7", "X-Real-IP", "203.0.113.7"), http.StatusTooManyRequests, 5, 0)
	limited(t, c.Get("/other"), http.StatusOK, 1000, 999)
	limited(t, proxytest.NewClient(t, "127.0.8.21", listen).Get("/search"), http.StatusOK, 5, 4)
	for left := 998; left > 940; left-- {
		limited(t, c.Get("/other"), http.StatusOK, 1000, left)
	}
	if made := weir.Connections(); made > 1 {
		t.Errorf("%d connections to weir", made)
	}
}

func TestEnvoyRateLimitSilence(t *testing.T) {
	for _, one := range []struct {
		name    string
		changes []string
		status  int // while weir does not answer
	}{
		{"open", nil, http.StatusOK},
		{"closed", []string{"failure_mode_deny: false", "failure_mode_deny: true"}, http.StatusServiceUnavailable},
	} {
		t.Run(one.name, func(t *testing.T) {
			weir, listen := startRateLimit(t, proxytest.StartUpstream(t).Addr, nil, one.changes)
			c := proxytest.NewClient(t, "127.0.8.23", listen)
			weir.Pause()
			withoutRates(t, c, one.status)
			weir.Resume()
			decidesAgain(t, c)
			weir.Stop()
			withoutRates(t, c, one.status)
			weir.Start()
			decidesAgain(t, c)
		})
	}
}

// outlierDetection is what the page says to delete.
const outlierDetection = `      outlier_detection:
        consecutive_gateway_failure: 3
        enforcing_consecutive_gateway_failure: 100
        interval: 0.5s
        base_ejection_time: 1s
        max_ejection_time: 1s
        max_ejection_percent: 100
`

// A weir that says of one limit that it has no decision is asked on for the others,
// where its answers are not counted as failures.
func TestEnvoyRateLimitAsksOn(t *testing.T) {
	t.Parallel()
	file := proxytest.Config(t, "envoy-ratelimit/api.yaml", "requests_per_unit: 5, algorithm: sliding-counter}", "requests_per_unit: 5, algorithm: sliding-counter, on_error: deny}")
	weir := proxytest.StartWeirGRPC(t, "--envoy-config", filepath.Dir(file), "--envoy-headers", "--store", "redis://"+proxytest.FreeAddr(t))
	c := proxytest.NewClient(t, "127.0.8.27", startEnvoy(t, "envoy-ratelimit.yaml", "8081", weir, proxytest.StartUpstream(t).Addr,
		append([]string{outlierDetection, ""}, patientEnvoy...)...))
	for range 10 {
		if a := c.Get("/search"); a.Status != http.StatusOK || a.Header.Get("X-Ratelimit-Limit") != "" {
			t.Fatalf("%+v", a)
		}
	}
	limited(t, c.Get("/other"), http.StatusOK, 1000, 999)
}

// The page's block makes Envoy and weir show each other certificates here, too.
func TestEnvoyRateLimitTLS(t *testing.T) {
	t.Parallel()
	dir, ca, upstream := t.TempDir(), certtest.NewAuthority(t), proxytest.StartUpstream(t)
	cert, key := ca.Issue(t, dir, "weir")
	root := filepath.Join(dir, "ca.pem")
	ca.Write(t, root)
	limits := proxytest.Config(t, "envoy-ratelimit/api.yaml", "requests_per_unit: 5,", "requests_per_unit: 1,", "unit: minute", "unit: day")
	weir := proxytest.StartWeirGRPC(t, "--envoy-config", filepath.Dir(limits), "--envoy-headers", "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", root)
	through := func(client *certtest.Authority) *proxytest.Client {
		cert, key := client.Issue(t, t.TempDir(), "envoy")
		block := strings.NewReplacer("/etc/envoy/client.pem", cert, "/etc/envoy/client.key", key, "/etc/envoy/ca.pem", root, "weir.internal", "localhost").
			Replace(pageBlock(t, "transport_socket:"))
		const after = "connect_timeout: 0.1s\n"
		return proxytest.NewClient(t, "127.0.8.28", startEnvoy(t, "envoy-ratelimit.yaml", "8081", weir, upstream.Addr,
			after, "connect_timeout: 10s\n"+block, "failure_mode_deny: false", "failure_mode_deny: true", " timeout: 0.2s", " timeout: 20s"))
	}
	c := through(ca)
	limited(t, c.Get("/search"), http.StatusOK, 1, 0)
	limited(t, c.Get("/search"), http.StatusTooManyRequests, 1, 0)
	if a := through(certtest.NewAuthority(t)).Get("/search"); a.Status != http.StatusServiceUnavailable || a.Seen != nil {
		t.Errorf("a stranger's Envoy: %+v", a)
	}
}

// In shadow nobody is refused.
func TestEnvoyRateLimitShadow(t *testing.T) {
	_, listen := startRateLimit(t, proxytest.StartUpstream(t).Addr, []string{
		"requests_per_unit: 5, algorithm: sliding-counter}", "requests_per_unit: 5, algorithm: sliding-counter}\n        shadow_mode: true",
	}, patientEnvoy)
	c := proxytest.NewClient(t, "127.0.8.25", listen)
	for range 8 {
		if a := c.Get("/search"); a.Status != http.StatusOK {
			t.Errorf("%+v", a)
		}
	}
}

// What a request costs is what its answer says, and the next one sees it.
func TestEnvoyRateLimitCostByResponse(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Cost", r.URL.Query().Get("rows"))
	}))
	t.Cleanup(api.Close)
	_, listen := startRateLimit(t, strings.TrimPrefix(api.URL, "http://"), nil, patientEnvoy)
	c := proxytest.NewClient(t, "127.0.8.26", listen)
	limited(t, c.Get("/report?rows=20"), http.StatusOK, 50, 50)
	until(t, "20 are charged", func() bool { return c.Get("/report?rows=0").Header.Get("X-Ratelimit-Remaining") == "30" })
	limited(t, c.Get("/report?rows=30"), http.StatusOK, 50, 30)
	until(t, "nothing is left", func() bool { return c.Get("/report?rows=0").Status == http.StatusTooManyRequests })
}

// Behind another proxy Envoy picks the address as it is told to.
func TestEnvoyRateLimitBehind(t *testing.T) {
	_, listen := startRateLimit(t, proxytest.StartUpstream(t).Addr, []string{"requests_per_unit: 5,", "requests_per_unit: 1,"}, append([]string{
		"                        - remove: x-forwarded-for\n", "", "use_remote_address: true\n", "use_remote_address: true\n                xff_num_trusted_hops: 1\n",
	}, patientEnvoy...))
	c := proxytest.NewClient(t, "127.0.6.1", listen)
	limited(t, c.Get("/search", "X-Forwarded-For", "203.0.113.5"), http.StatusOK, 1, 0)
	limited(t, c.Get("/search", "X-Forwarded-For", "192.0.2.1, 203.0.113.6"), http.StatusOK, 1, 0)
	limited(t, c.Get("/search", "X-Forwarded-For", "192.0.2.2, 203.0.113.5"), http.StatusTooManyRequests, 1, 0)
}

// limited wants an answer that tells of a limit, and what is left of it.
func limited(t *testing.T, a proxytest.Answer, status, limit, left int) {
	t.Helper()
	got := fmt.Sprint(a.Status, a.Header["X-Ratelimit-Limit"], a.Header["X-Ratelimit-Remaining"])
	if want := fmt.Sprintf("%d [%d] [%d]", status, limit, left); got != want {
		t.Errorf("got %s, want %s: %+v", got, want, a)
	}
	if reset, err := strconv.Atoi(a.Header.Get("X-Ratelimit-Reset")); err != nil || reset < 0 || reset > 2*86400 {
		t.Errorf("reset is %q", a.Header["X-Ratelimit-Reset"])
	}
}

// withoutRates sends requests while weir does not answer.
func withoutRates(t *testing.T, c *proxytest.Client, status int) {
	t.Helper()
	for range 5 {
		if a := c.Get("/search"); a.Status != status || a.Header.Get("X-Ratelimit-Limit") != "" || a.Took > 5*time.Second {
			t.Errorf("%+v", a)
		}
	}
}

func decidesAgain(t *testing.T, c *proxytest.Client) {
	t.Helper()
	until(t, "weir decides again", func() bool { return c.Get("/search").Status == http.StatusTooManyRequests })
}

// until polls: what it waits for happens in another process.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !condition(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within 10s: %s", what)
		}
	}
}
