package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/url"
)

// Upstream is where requests go. Make it with [ParseUpstream].
type Upstream struct {
	url *url.URL
	h2c bool
}

// Address is HOST:PORT.
func (u *Upstream) Address() string {
	port := u.url.Port()
	switch {
	case port != "":
	case u.url.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.url.Hostname(), port)
}

// ParseUpstream reads http://HOST:PORT; https://, which is HTTP/2 where the
// upstream has it; or h2c://, which is HTTP/2 in the clear, as gRPC speaks it. A
// path is put before that of each request. An error is for whoever wrote the text, and goes on from its
// name; it repeats no password.
func ParseUpstream(text string) (*Upstream, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("is not a URL: write http://127.0.0.1:3000")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "h2c":
		return nil, fmt.Errorf("%s: write http, https or h2c, not %s", u.Redacted(), u.Scheme)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("%s: write a scheme, a host and a path, and no more", u.Redacted())
	}
	upstream := &Upstream{url: u, h2c: u.Scheme == "h2c"}
	if upstream.h2c {
		u.Scheme = "http"
	}
	return upstream, nil
}
