// Package failover keeps decisions coming when a store does not: it bounds what
// a decision may cost in time, stops asking a store that fails, and answers from
// memory meanwhile.
//
//	store := failover.New(shared, failover.Options{Budget: 20 * time.Millisecond})
//	defer store.Close()
//	limiter, err := weir.New(weir.PerMinute(100), weir.WithStore(store))
//
// Who answers for a group of checks is its [weir.OnError]: the process's memory,
// which is kept warm by the store's answers; anybody may pass; or nobody, which
// is an error. Such answers are marked [weir.Result.Degraded]. What was admitted
// meanwhile is not written back later.
//
// # Time
//
// After the budget a decision is made elsewhere; the store's own answer, should
// it come, is dropped, though it may have charged. A breaker opens after five
// failures in a row and lets one call through each second, so that the store is
// back in use within two seconds of answering again.
//
// # Errors
//
// [weir.ErrUnavailable] where a group says so. A caller that hangs up gets its
// context's error, and counts as no failure of the store: otherwise whoever
// aborts requests could switch limiting off.
//
// # Concurrency
//
// N processes that fall back admit up to N times the limit; with Options.Share
// each takes its part.
package failover

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/weirhq/weir"
)

// Options shape a [Store]. The zero value is a good one.
type Options struct {
	// Budget is what a decision may cost in time before it is made elsewhere;
	// default 20 ms.
	Budget time.Duration
	// Share is how many processes there are: each admits limit/Share, rounded
	// up, while it answers from memory. Default 1: each admits the whole limit.
	Share int64
	// MaxKeys bounds the memory; see [weir.MemoryOptions].
	MaxKeys int
	// OnChange is told when the breaker opens ("open"), tries ("half-open") and
	// closes ("closed"), with the last failure. It must not block, nor call the
	// store.
	OnChange func(state string, cause error)
}

const (
	defaultBudget  = 20 * time.Millisecond
	failuresToOpen = 5
	probeEvery     = time.Second
)

// Store is a [weir.Store] in front of another.
type Store struct {
	primary weir.Store
	knows   knower // the primary, where it is one
	local   *weir.MemoryStore
	budget  time.Duration
	share   int64
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
	stats   counters
	cause   atomic.Pointer[error] // of the last failure
}

var _ weir.Store = (*Store)(nil)

// knower is a store that may know an answer without asking anybody. Then neither
// budget nor breaker matters.
type knower interface {
	Known(checks []weir.Check, results []weir.Result) bool
}

// New makes a store that asks primary, which stays the caller's to close.
func New(primary weir.Store, o Options) *Store {
	if o.Budget <= 0 {
		o.Budget = defaultBudget
	}
	s := &Store{
		primary: primary,
		local:   weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: o.MaxKeys}),
		budget:  o.Budget,
		share:   max(1, o.Share),
	}
	s.knows, _ = primary.(knower)
	s.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1, // a probe is a single call
		Timeout:     probeEvery,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresToOpen },
		IsExcluded:  func(err error) bool { return errors.Is(err, errNotItsFault) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if o.OnChange != nil {
				o.OnChange(to.String(), s.lastFailure())
			}
		},
	})
	return s
}

// Close ends the memory's sweeper.
func (s *Store) Close() error { return s.local.Close() }

// What the breaker is told beside the store's own errors.
var (
	errNotItsFault = errors.New("the caller hung up, or asked what nobody can answer")
	errPanic       = errors.New("the call did not return")
)

// Take implements [weir.Store].
func (s *Store) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if err := weir.ValidateChecks(checks); err != nil {
		return err
	}
	if s.knows != nil && s.knows.Known(checks, results) {
		return nil
	}
	err := s.ask(ctx, func(ctx context.Context) error { return s.primary.Take(ctx, checks, results) })
	switch {
	case err == nil:
		s.warm(checks, results)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case isCallersFault(err):
		return err
	default:
		return s.fallBack(checks, results, err)
	}
}

// ask makes one call within the budget, unless the breaker is open.
func (s *Store) ask(ctx context.Context, call func(context.Context) error) (err error) {
	if err := ctx.Err(); err != nil {
		s.stats.cancelled.Add(1)
		return err
	}
	done, err := s.breaker.Allow()
	if err != nil {
		return err
	}
	verdict := errPanic
	defer func() { done(verdict) }() // also of a probe that panics: no other is let through before
	bounded, cancel := context.WithTimeout(ctx, s.budget)
	defer cancel()
	err = call(bounded)
	switch {
	case err == nil:
		verdict = nil
	case isCallersFault(err):
		verdict = errNotItsFault
	case ctx.Err() != nil:
		s.stats.cancelled.Add(1)
		verdict = errNotItsFault
	default:
		s.stats.failures.Add(1)
		s.cause.Store(&err)
		verdict = err
	}
	return err
}

// isCallersFault reports whether the store refused the question.
func isCallersFault(err error) bool {
	return errors.Is(err, weir.ErrNegativeCost) || errors.Is(err, weir.ErrNoLimit) || errors.Is(err, weir.ErrDuplicateKey)
}

func (s *Store) lastFailure() error {
	if err := s.cause.Load(); err != nil {
		return *err
	}
	return nil
}

// Refund implements [weir.Store]. What was charged in memory is given back there.
func (s *Store) Refund(ctx context.Context, id weir.ID, charges []weir.Charge) (bool, error) {
	var shared, local []weir.Charge
	for _, c := range charges {
		if c.Degraded {
			c.Limit = s.part(c.Limit)
			local = append(local, c)
		} else {
			shared = append(shared, c)
		}
	}
	gave := false
	if len(local) > 0 {
		gave, _ = s.local.Refund(ctx, id, local) // never fails
	}
	if len(shared) == 0 {
		return gave, nil
	}
	err := s.ask(ctx, func(ctx context.Context) error {
		gaveShared, err := s.primary.Refund(ctx, id, shared)
		gave = gave || gaveShared
		return err
	})
	if err != nil {
		return gave, fmt.Errorf("%w: refund: %w", weir.ErrUnavailable, err)
	}
	return gave, nil
}

// Reset implements [weir.Store].
func (s *Store) Reset(ctx context.Context, keys []weir.Key) error {
	s.local.Reset(ctx, keys) // never fails
	if err := s.ask(ctx, func(ctx context.Context) error { return s.primary.Reset(ctx, keys) }); err != nil {
		return fmt.Errorf("%w: reset: %w", weir.ErrUnavailable, err)
	}
	return nil
}
