package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/proxy"
)

// Proxy makes the traffic port a reverse proxy, which then belongs to the upstream
// alone.
type Proxy struct {
	Upstream    string // URL
	RewriteHost bool   // the upstream gets its own host as Host
	Timeout     time.Duration

	upstream *proxy.Upstream
}

func (p *Proxy) validate(address string) (err error) {
	switch {
	case p == nil:
		return nil
	case p.Upstream == "":
		return usage("--upstream is missing: write --upstream http://127.0.0.1:3000")
	case address == "":
		return usage("nothing to forward: --http is off")
	case p.Timeout <= 0:
		return usage("--upstream-timeout %s is no time to wait: write 60s", p.Timeout)
	}
	if p.upstream, err = proxy.ParseUpstream(p.Upstream); err != nil {
		return usage("--upstream %w", err)
	}
	if sameServer(address, p.upstream.Address()) {
		return usage("--upstream %s is weir itself, by --http %s", p.Upstream, address)
	}
	return nil
}

// sameServer reports whether who listens at an address is who answers at the other:
// each request would be forwarded until its header is too long.
func sameServer(listen, address string) bool {
	at, port, err := net.SplitHostPort(listen)
	host, other, _ := net.SplitHostPort(address)
	if err != nil || port != other {
		return false
	}
	if ip := net.ParseIP(at); at == "" || ip.IsUnspecified() {
		return admin.IsLoopback(address)
	}
	return at == host || admin.IsLoopback(listen) && host == "localhost"
}

// newTrafficServer answers on the traffic port, or forwards.
func newTrafficServer(o *Options, e *Engine, log *slog.Logger) server {
	if o.Proxy == nil {
		profile, _ := o.profile() // it is one of them: see validate
		s := newHTTPServer(e.tracer.HTTP(withEnvoy(traffic(e, profile), o, e)), log)
		s.MaxHeaderBytes = maxCheckBytes
		return s
	}
	p := proxy.New(e, proxy.Options{
		Upstream: o.Proxy.upstream, RewriteHost: o.Proxy.RewriteHost, Timeout: o.Proxy.Timeout, Log: log,
	})
	s := newHTTPServer(e.tracer.HTTP(p), log)
	s.ReadTimeout, s.WriteTimeout = 0, 0 // the proxy bounds what does not go on, not what is long
	s.Protocols = new(http.Protocols)
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	return &proxyServer{s, p}
}

// proxyServer is an http.Server that waits for upgraded connections too.
type proxyServer struct {
	*http.Server
	proxy *proxy.Proxy
}

// Shutdown takes nobody new and returns when what was under way is over.
func (s *proxyServer) Shutdown(ctx context.Context) error {
	if err := s.Server.Shutdown(ctx); err != nil {
		return err
	}
	if err := s.proxy.Drain(ctx); err != nil {
		return err
	}
	s.proxy.Close()
	return nil
}

// Close cuts off what is left.
func (s *proxyServer) Close() error {
	s.proxy.Close()
	return errors.Join(s.Server.Close(), s.proxy.Drain(context.Background()))
}
