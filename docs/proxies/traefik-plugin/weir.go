// Package traefikplugin is a middleware for Traefik that asks weir about each
// request. Traefik interprets it; docs/proxies/traefik.md says where to put it.
//
// # Errors
//
// Where weir does not answer in time the request passes, or gets 503 with Closed.
package traefikplugin

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Config is the middleware's configuration in Traefik.
type Config struct {
	Address string `json:"address,omitempty"` // URL of /check; http://127.0.0.1:8080/check by default
	Timeout string `json:"timeout,omitempty"` // what weir may cost in time; 200ms by default
	Closed  bool   `json:"closed,omitempty"`  // refuse while weir does not answer
}

// CreateConfig returns the defaults.
func CreateConfig() *Config {
	return &Config{Address: "http://127.0.0.1:8080/check", Timeout: "200ms"}
}

// transport is one for all routers, and stays when Traefik reloads.
var transport = &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute}

type middleware struct {
	next    http.Handler
	address string
	closed  bool
	client  *http.Client
}

// New makes the middleware. An address or a timeout that makes no sense is an error.
func New(_ context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	timeout, err := time.ParseDuration(config.Timeout)
	if err != nil || timeout <= 0 {
		return nil, fmt.Errorf("%s: timeout %q is not a duration above 0", name, config.Timeout)
	}
	if _, err := http.NewRequest(http.MethodGet, config.Address, nil); err != nil {
		return nil, fmt.Errorf("%s: address: %w", name, err)
	}
	return &middleware{next, config.Address, config.Closed, &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (m *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := m.ask(r)
	switch {
	case r.Context().Err() != nil: // the client has hung up: the status is for the log
		w.WriteHeader(499)
	case err != nil && m.closed:
		unavailable(w)
	case err != nil:
		m.next.ServeHTTP(w, r)
	case answer.status/100 == 2:
		setRates(w.Header(), answer.header)
		m.next.ServeHTTP(w, r)
	default:
		refuse(w, answer)
	}
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

// mostBody bounds what is read of an answer, in bytes.
const mostBody = 64 << 10

func (m *middleware) ask(r *http.Request) (answer, error) {
	question, err := http.NewRequestWithContext(r.Context(), http.MethodGet, m.address, nil)
	if err != nil {
		return answer{}, err
	}
	question.Header = r.Header.Clone()
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Upgrade"} {
		question.Header.Del(name)
	}
	question.Header.Set("X-Forwarded-For", forwardedFor(r))
	question.Header.Set("X-Forwarded-Method", r.Method)
	question.Header.Set("X-Forwarded-Uri", r.URL.RequestURI())
	question.Header.Set("X-Forwarded-Host", r.Host)
	response, err := m.client.Do(question)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody))
	return answer{response.StatusCode, response.Header, body}, err
}

// forwardedFor appends the peer to what Traefik has left there: the word of those
// proxies that its entry point trusts.
func forwardedFor(r *http.Request) string {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		peer = r.RemoteAddr
	}
	return strings.Join(append(r.Header.Values("X-Forwarded-For"), peer), ", ")
}

// rates are the fields of an allowed answer. These spellings are not Go's
// canonical ones, so that a Traefik middleware behind this one can delete the
// API's own fields, which are, and leave these.
var rates = []string{
	"weir-decision", "weir-degraded", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy",
}

func setRates(to, from http.Header) {
	for _, name := range rates {
		if values := from.Values(name); len(values) > 0 {
			to[name] = values
		}
	}
}

func refuse(w http.ResponseWriter, a answer) {
	for name, values := range a.header {
		if name != "Connection" && name != "Date" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
}

func unavailable(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
	io.WriteString(w, `{"type":"about:blank","title":"Service Unavailable","status":503}`)
}
