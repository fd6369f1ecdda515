package proxy

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// client sends requests to the upstream, each once. What has no body or a small
// one, which is most of what there is, goes directly where the upstream speaks
// HTTP/1 in the clear; the rest is http.Transport's, which can send and receive at
// the same time.
type client struct {
	transport *http.Transport
	direct    *direct // nil: the upstream speaks TLS or HTTP/2
}

func newClient(u *Upstream, timeout time.Duration) *client {
	c := &client{transport: newTransport(u, timeout)}
	if u.url.Scheme == "http" && !u.h2c && canTellIdle {
		c.direct = newDirect(u, timeout)
	}
	return c
}

// RoundTrip implements http.RoundTripper. The request is the proxy's own to change.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case c.direct != nil && isSimple(r):
		return c.direct.RoundTrip(r)
	case r.Body == nil && r.Header["Upgrade"] == nil:
		sendOnce(r)
	}
	return c.transport.RoundTrip(r)
}

// isSimple reports whether the request is sent in one go: its body, if any, fits
// into what a socket takes without the upstream's help.
func isSimple(r *http.Request) bool {
	small := r.Body == nil || r.ContentLength > 0 && r.ContentLength <= maxDirectBody
	return small && r.Header["Upgrade"] == nil && r.Header["Expect"] == nil && len(r.Trailer) == 0
}

func (c *client) close() {
	c.transport.CloseIdleConnections()
	if c.direct != nil {
		c.direct.idle.close()
	}
}

// sendOnce gives a request without a body one that http.Transport cannot send
// twice. Else a GET whose connection ends before its answer is sent again, and the
// upstream may have seen the first: one request that was admitted is to be one
// that the upstream gets. The Transport knows this reader for empty and sends
// nothing, not even an empty chunk. What it sends once anyhow keeps its
// Content-Length: 0, which some servers want to see on a POST.
func sendOnce(r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
	default:
		if r.Header["Idempotency-Key"] == nil && r.Header["X-Idempotency-Key"] == nil {
			return
		}
	}
	r.Body = io.NopCloser(strings.NewReader(""))
}
