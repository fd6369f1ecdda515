package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/certtest"
	"github.com/weirhq/weir/policy"
)

// patience is how long a test waits for what happens at once, unless something
// is broken.
const patience = 20 * time.Second

// engine decides by a policy in memory.
type engine struct {
	policy *policy.Policy
	store  *weir.MemoryStore
	err    error
}

func (e *engine) Decide(ctx context.Context, a *policy.Attributes) (weir.Decision, error) {
	if e.err != nil {
		return weir.Decision{}, e.err
	}
	return e.policy.Decide(ctx, e.store, a)
}

func (e *engine) Trusted() clientip.Prefixes { return e.policy.TrustedProxies() }
func (e *engine) Headers() httplimit.Headers { return httplimit.Headers{} }
func (e *engine) Resolved(clientip.Outcome)  {}

func newEngine(t *testing.T, config string) *engine {
	t.Helper()
	c, err := policy.Parse("weir.yaml", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := c.Compile(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	t.Cleanup(func() { store.Close() })
	return &engine{policy: p, store: store}
}

const (
	wide    = "layers: [{name: edge, by: ip, limit: 1000000/h}]"
	trusted = "trusted_proxies: [127.0.0.0/8]\n" + wide
)

// running is a proxy in front of an upstream, both on real listeners.
type running struct {
	*httptest.Server
	proxy  *Proxy
	engine *engine
	log    *logged
	client *http.Client
}

// start puts a proxy in front of an upstream's URL.
func start(t *testing.T, config, upstream string, adjust ...func(*Options, *http.Server)) *running {
	t.Helper()
	r := &running{engine: newEngine(t, config), log: &logged{}}
	u, err := ParseUpstream(upstream)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Upstream: u, Timeout: patience, Log: slog.New(slog.NewTextHandler(r.log, nil))}
	server := httptest.NewUnstartedServer(nil)
	for _, a := range adjust {
		a(&o, server.Config)
	}
	r.proxy = New(r.engine, o)
	server.Config.Handler = r.proxy
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	r.Server = server
	r.client = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		r.proxy.Close()
		r.client.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
	})
	return r
}

// serve runs an upstream.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// do sends a request and reads the whole answer.
func (r *running) do(t *testing.T, method, target string, header http.Header, body io.Reader) (*http.Response, string) {
	t.Helper()
	in, err := http.NewRequestWithContext(t.Context(), method, r.URL+target, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range header {
		in.Header[name] = lines
	}
	a, err := r.client.Do(in)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a, string(text)
}

// dial opens a connection to the proxy and sends text.
func (r *running) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	return dial(t, r.Listener.Addr().String(), text)
}

func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// logged is a log that tests look into.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// script is an upstream by hand: it accepts connections and plays f on each.
func script(t *testing.T, f func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(patience))
				f(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return "http://" + l.Addr().String()
}

// scripted gives the proxy an upstream by hand, over TLS if asked, of HTTP/1.
func (r *running) scripted(t *testing.T, secure bool, f func(net.Conn)) {
	t.Helper()
	plain := f
	var trust *tls.Config
	if secure {
		ca := certtest.NewAuthority(t)
		pair, err := tls.LoadX509KeyPair(ca.Issue(t, t.TempDir(), "upstream"))
		if err != nil {
			t.Fatal(err)
		}
		trust = &tls.Config{RootCAs: ca.Pool()}
		plain = func(u net.Conn) {
			u = tls.Server(u, &tls.Config{Certificates: []tls.Certificate{pair}})
			defer u.Close()
			f(u)
		}
	}
	url := script(t, plain)
	if secure {
		url = strings.Replace(url, "http:", "https:", 1)
	}
	u, err := ParseUpstream(url)
	if err != nil {
		t.Fatal(err)
	}
	r.proxy.options.Upstream = u
	r.proxy.client = newClient(u, patience)
	r.proxy.client.transport.TLSClientConfig = trust
	t.Cleanup(r.proxy.client.close) // before the upstream waits for its connections
}
