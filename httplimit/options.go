package httplimit

import (
	"net/http"

	"github.com/weirhq/weir"
)

// Option shapes a [Middleware]. A nil function or handler in one is the default.
type Option func(*settings)

type settings struct {
	name             string
	headers          Headers
	limits           []string // names of headers' fields
	cost             func(*http.Request) int64
	skips            []func(*http.Request) bool
	preflights       bool
	unknownUncounted bool
	counts           func(status int) bool // nil: every answer
	refusal          func(http.ResponseWriter, *http.Request, *weir.Decision)
	unavailable      http.Handler
	allowOnError     bool
	report           func(*http.Request, error)
}

func newSettings(options []Option) settings {
	s := settings{name: "default"}
	for _, o := range options {
		o(&s)
	}
	if s.refusal == nil {
		s.refusal = func(w http.ResponseWriter, _ *http.Request, d *weir.Decision) { Refuse(w, d) }
	}
	if s.unavailable == nil {
		s.unavailable = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { noDecision.Write(w) })
	}
	if s.report == nil {
		s.report = func(*http.Request, error) {}
	}
	s.headers.names = s.headers.resolved()
	s.limits = s.headers.limits()
	return s
}

// WithName is what RateLimit-Policy and RateLimit call the limit; default
// "default". It has no part in what is counted.
func WithName(name string) Option { return func(s *settings) { s.name = name } }

// WithHeaders chooses the header fields of answers.
func WithHeaders(h Headers) Option { return func(s *settings) { s.headers = h } }

// WithCost says what a request takes, ≥ 0 requests; by default 1. 0 takes
// nothing and is told the state; below 0 the request is answered 400.
func WithCost(cost func(r *http.Request) int64) Option { return func(s *settings) { s.cost = cost } }

// WithSkip lets requests pass that nobody counts, such as health checks. Their
// answers carry no rate-limit fields. Given several times, one is enough.
func WithSkip(skip func(r *http.Request) bool) Option {
	return func(s *settings) {
		if skip != nil {
			s.skips = append(s.skips, skip)
		}
	}
}

// WithPreflights counts CORS preflights like other requests. By default they are
// left alone: a page's author cannot avoid them, and browsers take a refused one
// for a CORS error.
func WithPreflights() Option { return func(s *settings) { s.preflights = true } }

// WithUnknownUncounted lets requests without a key pass without being counted;
// by default they are refused with 403. What counts them otherwise is a key
// function that falls back to the address: see [FirstOf].
func WithUnknownUncounted() Option { return func(s *settings) { s.unknownUncounted = true } }

// WithCountOnly counts only requests whose answer's status counts, such as
// [Failures] of a login. Every request is charged before it runs, so that no more
// run at one time than the limit admits; what does not count is given back when
// the handler returns. The fields of its answer do not know of that yet.
func WithCountOnly(counts func(status int) bool) Option {
	return func(s *settings) { s.counts = counts }
}

// WithRefusal answers refused requests; the default is [Refuse]. The rate-limit
// fields and Retry-After are set already. [Refused] says which status is right.
func WithRefusal(answer func(w http.ResponseWriter, r *http.Request, d *weir.Decision)) Option {
	return func(s *settings) { s.refusal = answer }
}

// WithUnavailable answers requests for which there is no decision. The default is
// a problem of status 503.
func WithUnavailable(answer http.Handler) Option { return func(s *settings) { s.unavailable = answer } }

// WithAllowOnError lets requests pass while the store does not answer; by default
// they are answered 503. A store of package failover rarely lets it come to that.
func WithAllowOnError() Option { return func(s *settings) { s.allowOnError = true } }

// WithReport is told why a request got no decision, and why a charge was not given
// back: this package does not log. It must not block.
func WithReport(report func(r *http.Request, err error)) Option {
	return func(s *settings) { s.report = report }
}
