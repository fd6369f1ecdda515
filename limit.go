package weir

import (
	"errors"
	"fmt"
	"time"

	"github.com/weirhq/weir/internal/algorithm"
)

// Limit is a rate with its algorithm and burst, validated and compiled once to
// integers. It is immutable and shared freely. Make one with [NewLimit]; the
// zero Limit is blocked.
type Limit struct {
	rate      Rate
	algorithm Algorithm
	compiled  algorithm.Limit
	wire      string
	lease     int64
}

// LimitOption is an [Option] that shapes the limit itself.
type LimitOption interface {
	Option
	applyLimit(*limitSpec)
}

type limitSpec struct {
	rate      Rate
	algorithm Algorithm
	burst     int64
	countAll  bool
	lease     int64 // percent
}

type limitOption func(*limitSpec)

func (o limitOption) applyLimit(s *limitSpec)  { o(s) }
func (o limitOption) apply(c *limiterSettings) { o(&c.limit) }

// WithAlgorithm chooses the algorithm; the default is [GCRA].
func WithAlgorithm(a Algorithm) LimitOption {
	return limitOption(func(s *limitSpec) { s.algorithm = a })
}

// WithBurst sets the capacity of a [GCRA] or [TokenBucket] limit: what passes at
// one instant from idle, 1 to 2^41 requests. The default is the rate's count.
// From idle up to burst + count pass in the first period. Other algorithms have
// no burst and [NewLimit] refuses one.
func WithBurst(n int64) LimitOption {
	return limitOption(func(s *limitSpec) {
		s.burst = n
		if n <= 0 {
			s.burst = -1 // 0 would mean "not given"
		}
	})
}

// WithCountAll makes a [FixedWindow] limit count refused requests too, as some
// predecessors do. Everywhere else a refusal costs nothing.
func WithCountAll() LimitOption {
	return limitOption(func(s *limitSpec) { s.countAll = true })
}

// WithLease lets a process take up to so many percent of the capacity at once, 1 to
// 50, and admit by itself until they are used up: see package lease, without which
// it changes nothing. The part, rounded up, must be 2 requests or more, and the period 100
// ms. There is no lease for a [SlidingLog], which is chosen to be exact, nor beside
// [WithCountAll]. The default is none.
func WithLease(percent int64) LimitOption {
	return limitOption(func(s *limitSpec) {
		s.lease = percent
		if percent <= 0 {
			s.lease = -1 // 0 would mean "not given"
		}
	})
}

// NewLimit validates and compiles a limit. A count of 0 makes a blocked one,
// which refuses everything. The error is a *[LimitError] that names the range
// that can be represented: periods of 1 µs to 407 days in whole µs; counts up to
// 2^53 (fixed window), 2^40 (GCRA, token bucket) or 2^32 (the sliding ones);
// bursts up to 2^41 that drain within 285 years.
func NewLimit(rate Rate, options ...LimitOption) (*Limit, error) {
	spec := limitSpec{rate: rate}
	for _, o := range options {
		o.applyLimit(&spec)
	}
	return spec.compile()
}

func (s limitSpec) compile() (*Limit, error) {
	refuse := func(field, format string, args ...any) (*Limit, error) {
		return nil, &LimitError{s.rate, field, fmt.Sprintf(format, args...)}
	}
	switch {
	case int(s.algorithm) >= len(algorithms):
		return refuse("algorithm", "%d is not one", s.algorithm)
	case s.rate.Period%time.Microsecond != 0:
		return refuse("period", "is not in whole microseconds")
	case s.burst != 0 && !s.algorithm.HasBurst():
		return refuse("burst", "does not exist for %s; it does for gcra and token-bucket", s.algorithm)
	case s.burst < 0:
		return refuse("burst", "is outside 1 to %d", algorithm.MaxBurst)
	case s.countAll && s.algorithm != FixedWindow:
		return refuse("count", "all exists for fixed-window only, not for %s", s.algorithm)
	}
	compiled, err := algorithm.Compile(algorithms[s.algorithm].kind, s.rate.Count, s.rate.Period.Microseconds(), s.burst)
	if err != nil {
		return nil, s.limitError(err)
	}
	compiled.CountAll = s.countAll
	if reason := s.leaseProblem(compiled.Burst); reason != "" {
		return refuse("lease", "%s", reason)
	}
	return &Limit{s.rate, s.algorithm, compiled, compiled.Wire(), s.leased(compiled.Burst)}, nil
}

// leased is how many requests of the capacity the lease is, rounded up.
func (s limitSpec) leased(capacity int64) int64 { return (capacity*s.lease + 99) / 100 }

// The largest part of a capacity that one process may hold, and the least number
// of requests that is worth it.
const (
	maxLease      = 50 // percent
	leastRequests = 2
	leastPeriod   = 100 * time.Millisecond // a lease lives for a tenth, longer than a call
)

func (s limitSpec) leaseProblem(capacity int64) string {
	switch {
	case s.lease == 0:
		return ""
	case s.lease < 0 || s.lease > maxLease:
		return fmt.Sprintf("is outside 1%% to %d%%", maxLease)
	case s.rate.Period < leastPeriod:
		return "does not exist for periods below 100ms"
	case s.algorithm == SlidingLog:
		return "does not exist for sliding-log"
	case s.countAll:
		return "does not exist where all is counted"
	case s.leased(capacity) < leastRequests:
		return fmt.Sprintf("of %d%% is less than %d requests of %d", s.lease, leastRequests, capacity)
	}
	return ""
}

func (s limitSpec) limitError(err error) error {
	var outside *algorithm.RangeError
	if !errors.As(err, &outside) {
		return err
	}
	switch outside.Field {
	case "period":
		return &LimitError{s.rate, "period", fmt.Sprintf("is outside %s to %s", time.Microsecond, formatPeriod(time.Duration(outside.Max)*time.Microsecond))}
	case "drain":
		return &LimitError{s.rate, "burst", "takes longer than 285 years to drain at this rate"}
	default:
		return &LimitError{s.rate, outside.Field, fmt.Sprintf("%d is outside %d to %d for %s", outside.Value, outside.Min, outside.Max, s.algorithm)}
	}
}

// Rate is the count per period.
func (l *Limit) Rate() Rate { return l.rate }

// Algorithm is the rule.
func (l *Limit) Algorithm() Algorithm { return l.algorithm }

// Capacity is what passes at one instant from idle, in requests: the burst where
// the algorithm has one, otherwise the count.
func (l *Limit) Capacity() int64 { return l.compiled.Burst }

// Blocked reports whether the limit refuses everything.
func (l *Limit) Blocked() bool { return l.compiled.Count == 0 }

// CountsAll reports whether refused requests are counted too.
func (l *Limit) CountsAll() bool { return l.compiled.CountAll }

// Lease is how many requests a process may take at once to admit by itself, see
// [WithLease]; 0 is none.
func (l *Limit) Lease() int64 { return l.lease }

// String is the canonical text, such as "100/min gcra burst 20".
func (l *Limit) String() string {
	text := l.rate.String() + " " + l.algorithm.String()
	if l.algorithm.HasBurst() && l.compiled.Burst != l.rate.Count {
		text += fmt.Sprintf(" burst %d", l.compiled.Burst)
	}
	if l.compiled.CountAll {
		text += " count all"
	}
	return text
}

// Compiled is the limit as the stores of this module decide it.
func (l *Limit) Compiled() *algorithm.Limit { return &l.compiled }

// Wire is the limit as the scripts of package redisstore read it.
func (l *Limit) Wire() string { return l.wire }
