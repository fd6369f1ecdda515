package proxy

import (
	"net/http"
	"net/http/httputil"
	"net/netip"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// exchange is one request that is forwarded, with its answer. It is the writer of
// the answer too, which gives a client as long as it goes on reading.
type exchange struct {
	http.ResponseWriter
	proxy    *Proxy
	in       *http.Request
	headers  httplimit.Headers
	decision weir.Decision
	peer     netip.Addr // the zero Addr has no address
	client   netip.Addr // behind trusted proxies
	trusted  bool       // the peer
	upload   *upload    // nil without a body
	pace     pace       // of the client's reading
}

// attributes are those of the request, which is the one to judge.
func (e *exchange) attributes(engine Engine) policy.Attributes {
	r := e.in
	a := policy.Attributes{Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Header: r.Header, Cost: 1}
	peer, ok := clientip.Peer(r.RemoteAddr)
	if !ok {
		return a
	}
	resolver := clientip.Resolver{Trusted: engine.Trusted(), Header: clientip.XForwardedFor}
	var outcome clientip.Outcome
	e.client, outcome = resolver.Resolve(peer, r.Header["X-Forwarded-For"])
	engine.Resolved(outcome)
	e.peer, e.trusted = peer, resolver.Trusted.Contains(peer)
	a.IP, a.Trusted = e.client, e.trusted
	return a
}

// forward sends the request on and its answer back. A ReverseProxy is a handful
// of words, and one for each request saves a context to find the exchange in.
func (e *exchange) forward() {
	p := e.proxy
	one := httputil.ReverseProxy{
		Rewrite: e.rewrite, ModifyResponse: e.answer, ErrorHandler: e.failed,
		Transport: p.client, BufferPool: p.buffers, ErrorLog: p.bodyLog,
	}
	one.ServeHTTP(e, e.in)
	e.dropOwn()
}

// rewrite makes the request that the upstream gets.
func (e *exchange) rewrite(r *httputil.ProxyRequest) {
	out := r.Out
	r.SetURL(e.proxy.options.Upstream.url)
	out.URL.RawQuery = r.In.URL.RawQuery // as it was sent, even where Go would read it otherwise
	if !e.proxy.options.RewriteHost {
		out.Host = r.In.Host
	}
	e.tellClient(out.Header)
	if speaksHTTP(out.Header.Get("Upgrade")) {
		out.Header.Del("Connection")
		out.Header.Del("Upgrade")
	}
	if out.Body == nil {
		return
	}
	// The client may still be sending when the answer begins.
	http.NewResponseController(e.ResponseWriter).EnableFullDuplex()
	e.upload = &upload{body: out.Body, writer: e.ResponseWriter, pace: pace{timeout: e.proxy.options.Timeout}}
	e.upload.trailers(r.In, out)
	out.Body = e.upload
}

// answer looks at the upstream's answer before httputil copies it. One that
// switches protocols is written past WriteHeader.
func (e *exchange) answer(r *http.Response) error {
	ownTrailers(r.Trailer)
	if r.StatusCode == http.StatusSwitchingProtocols {
		e.tellLimits(r.Header, r.StatusCode)
	}
	return nil
}

// tellLimits puts the decision's fields on the upstream's answer, over what the
// upstream says of limits of its own: no client reads two.
func (e *exchange) tellLimits(header http.Header, status int) {
	e.headers.SetFor(header, &e.decision, status)
	if len(header["Access-Control-Allow-Origin"]) > 0 {
		e.headers.Expose(header)
	}
}

// Unwrap is for http.ResponseController.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// WriteHeader implements http.ResponseWriter. What comes before the answer (100 to
// 199) says nothing of limits.
func (e *exchange) WriteHeader(status int) {
	e.extend()
	if status >= 200 {
		e.tellLimits(e.Header(), status)
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (e *exchange) Write(p []byte) (int, error) {
	e.extend()
	return e.ResponseWriter.Write(p)
}

// extend gives the client its time again, to read what is written next.
func (e *exchange) extend() {
	if deadline, due := e.pace.extend(); due {
		http.NewResponseController(e.ResponseWriter).SetWriteDeadline(deadline)
	}
}
