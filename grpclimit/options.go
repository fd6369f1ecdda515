package grpclimit

import "context"

// Option shapes an [Interceptor]. A nil function in one is the default. A method
// is given as gRPC has it, "/package.Service/Method".
type Option func(*settings)

type settings struct {
	name             string
	cost             func(ctx context.Context, method string, message any) int64
	skips            []func(ctx context.Context, method string) bool
	perMessage       bool
	unknownUncounted bool
	allowOnError     bool
	withoutMetadata  bool
	report           func(context.Context, error)
}

func newSettings(options []Option) settings {
	s := settings{name: "default"}
	for _, o := range options {
		o(&s)
	}
	if s.report == nil {
		s.report = func(context.Context, error) {}
	}
	return s
}

// WithName is what QuotaFailure calls the limit; default "default". It has no part
// in what is counted.
func WithName(name string) Option { return func(s *settings) { s.name = name } }

// WithPerMessage charges a stream for each message that the client sends on it,
// instead of once when it opens: then an open stream is no way around the limit,
// and opening one costs nothing. The message over the limit is not handed to the
// handler; the stream ends with the refusal, its context too, and the metadata is
// in the trailers. Calls with a single message are charged as ever. What a server
// sends is not counted.
//
// To limit both, chain two interceptors.
func WithPerMessage() Option { return func(s *settings) { s.perMessage = true } }

// WithCost says what a call takes, ≥ 0 requests; by default 1. The message is the
// request, or one message of a stream, and nil for a stream that opens. 0 takes
// nothing; below 0 the call is refused with INVALID_ARGUMENT.
func WithCost(cost func(ctx context.Context, method string, message any) int64) Option {
	return func(s *settings) { s.cost = cost }
}

// WithSkip lets calls pass that nobody counts, such as health checks. Given
// several times, one is enough.
func WithSkip(skip func(ctx context.Context, method string) bool) Option {
	return func(s *settings) {
		if skip != nil {
			s.skips = append(s.skips, skip)
		}
	}
}

// WithUnknownUncounted lets calls without a key pass without being counted; by
// default they are refused with PERMISSION_DENIED. What counts them otherwise is
// a key function that falls back to the address: see [FirstOf].
func WithUnknownUncounted() Option { return func(s *settings) { s.unknownUncounted = true } }

// WithAllowOnError lets calls pass while the store does not answer; by default
// they get UNAVAILABLE. A store of package failover rarely lets it come to that.
func WithAllowOnError() Option { return func(s *settings) { s.allowOnError = true } }

// WithoutMetadata leaves out x-ratelimit-limit, -remaining, -reset (seconds since
// the Unix epoch) and weir-decision, which are in the header of calls that pass
// and in the trailers of those that do not.
func WithoutMetadata() Option { return func(s *settings) { s.withoutMetadata = true } }

// WithReport is told why a call got no decision: this package does not log. It must
// not block.
func WithReport(report func(context.Context, error)) Option {
	return func(s *settings) { s.report = report }
}
