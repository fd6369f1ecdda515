package daemon

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/certtest"
)

// secured is a daemon that speaks TLS, and what its clients need.
type secured struct {
	*running
	dir string
	ca  *certtest.Authority
}

func startTLS(t *testing.T, clientCA bool) *secured {
	t.Helper()
	s := &secured{dir: t.TempDir(), ca: certtest.NewAuthority(t)}
	var o Options
	o.TLS.Cert, o.TLS.Key = s.ca.Issue(t, s.dir, "server")
	if clientCA {
		o.TLS.ClientCA = filepath.Join(s.dir, "ca.pem")
		s.ca.Write(t, o.TLS.ClientCA)
	}
	s.running = start(t, o)
	return s
}

// client trusts the daemon and shows certificates of its own, if any.
func (s *secured) client(t *testing.T, show ...tls.Certificate) *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: s.ca.Pool(), Certificates: show}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func pairOf(t *testing.T, ca *certtest.Authority) tls.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(ca.Issue(t, t.TempDir(), "client"))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func get(client *http.Client, url string) (status int, proto string, err error) {
	r, err := client.Get(url)
	if err != nil {
		return 0, "", err
	}
	r.Body.Close()
	return r.StatusCode, r.Proto, nil
}

// All listeners speak TLS, and HTTP/2 over it; none speaks plainly.
func TestListenersSpeakTLS(t *testing.T) {
	s := startTLS(t, false)
	for _, address := range []string{s.http + "/check", s.admin + "/readyz", s.admin + "/metrics"} {
		url := strings.Replace(address, "http:", "https:", 1)
		if status, proto, err := get(s.client(t), url); status != http.StatusOK || proto != "HTTP/2.0" {
			t.Errorf("%s: %d %s %v", url, status, proto, err)
		}
		if status, _, err := get(http.DefaultClient, address); err == nil && status == http.StatusOK {
			t.Errorf("%s is answered plainly", address)
		}
	}
}

// With a client CA nobody is served without a certificate of its, but health,
// which orchestrators ask without one.
func TestClientsNeedACertificate(t *testing.T) {
	s := startTLS(t, true)
	traffic, private := strings.Replace(s.http, "http:", "https:", 1), strings.Replace(s.admin, "http:", "https:", 1)
	none, right := s.client(t), s.client(t, pairOf(t, s.ca))
	wrong := s.client(t, pairOf(t, certtest.NewAuthority(t)))
	for _, c := range []struct {
		name   string
		client *http.Client
		url    string
		want   int // 0: no connection
	}{
		{"traffic with none", none, traffic + "/check", 0},
		{"traffic with another's", wrong, traffic + "/check", 0},
		{"traffic", right, traffic + "/check", 200},
		{"health with none", none, private + "/healthz", 200},
		{"readiness with none", none, private + "/readyz", 200},
		{"metrics with none", none, private + "/metrics", 403},
		{"metrics", right, private + "/metrics", 200},
	} {
		if status, _, err := get(c.client, c.url); status != c.want {
			t.Errorf("%s: status %d, want %d (%v)", c.name, status, c.want, err)
		}
	}
}

// A new certificate is shown to the next who connects; a broken one changes
// nothing.
func TestCertificatesAreReloaded(t *testing.T) {
	s := startTLS(t, false)
	url := strings.Replace(s.http, "http:", "https:", 1) + "/check"
	old := s.client(t)
	if _, _, err := get(old, url); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(s.dir, "server.pem"), []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.log.wait(t, "certificate refused")
	if _, _, err := get(s.client(t), url); err != nil {
		t.Errorf("a broken file ended TLS: %v", err)
	}

	s.ca = certtest.NewAuthority(t)
	s.ca.Issue(t, s.dir, "server")
	s.log.wait(t, "certificate loaded")
	if _, _, err := get(s.client(t), url); err != nil {
		t.Errorf("the new certificate is not shown: %v", err)
	}
	if _, _, err := get(old, url); err != nil {
		t.Errorf("the reload ended a connection: %v", err)
	}

	s.ca.IssueUntil(t, s.dir, "server", time.Now().Add(-time.Hour))
	s.log.wait(t, "certificate is not valid now")
}
