package weir

import (
	"context"
	"sync"
	"time"
)

// Limiter decides requests of one limit by key. Make it with [New]. Most callers
// want [Limiter.Allow].
type Limiter struct {
	limit  *Limit
	name   string
	store  Store
	memory *MemoryStore // the store, when it is one
	space  hashed       // in memory
	owned  bool         // the limiter made the store
}

// Option shapes what [New] makes.
type Option interface{ apply(*limiterSettings) }

type limiterSettings struct {
	limit limitSpec
	name  string
	store Store
}

type limiterOption func(*limiterSettings)

func (o limiterOption) apply(s *limiterSettings) { o(s) }

// WithStore decides in the store, for instance one that many processes share.
// The default is a [MemoryStore] of the limiter's own. The store stays the
// caller's to close.
func WithStore(s Store) Option {
	return limiterOption(func(c *limiterSettings) { c.store = s })
}

// WithName names the limit in its store; the default is "default". Limiters of
// the same name on one store share their keys' states, whatever their rates:
// give each limit on a shared store a name of its own.
func WithName(name string) Option {
	return limiterOption(func(c *limiterSettings) { c.name = name })
}

// New makes a limiter: by default [GCRA], in memory. Its error is that of
// [NewLimit].
func New(rate Rate, options ...Option) (*Limiter, error) {
	settings := limiterSettings{limit: limitSpec{rate: rate}, name: "default"}
	for _, o := range options {
		o.apply(&settings)
	}
	limit, err := settings.limit.compile()
	if err != nil {
		return nil, err
	}
	l := &Limiter{limit: limit, name: settings.name, store: settings.store}
	if l.store == nil {
		l.store, l.owned = NewMemoryStore(MemoryOptions{}), true
	}
	if l.memory, _ = l.store.(*MemoryStore); l.memory != nil {
		k := l.key("")
		l.space = l.memory.namespace(&k)
	}
	return l, nil
}

// Limit is the limit.
func (l *Limiter) Limit() *Limit { return l.limit }

// Close ends the limiter's own memory store. It is safe to call twice.
func (l *Limiter) Close() error {
	if !l.owned {
		return nil
	}
	return l.memory.Close()
}

// Allow takes 1 for the key if there is room.
func (l *Limiter) Allow(ctx context.Context, key string) (r Result, err error) {
	err = l.take(ctx, &r, key, 1, false)
	return r, err
}

// AllowN takes n for the key if there is room for all of it. Taking 0 changes
// nothing and is allowed; below 0 is [ErrNegativeCost]; above the capacity is
// refused with a RetryAfter of [Never].
func (l *Limiter) AllowN(ctx context.Context, key string, n int64) (r Result, err error) {
	err = l.take(ctx, &r, key, n, false)
	return r, err
}

// Peek says whether n would pass now, and charges nothing.
func (l *Limiter) Peek(ctx context.Context, key string, n int64) (r Result, err error) {
	err = l.take(ctx, &r, key, n, true)
	return r, err
}

// take decides in place: a Result is 15 words, and copying it from call to call took
// an eighth of a decision in memory.
func (l *Limiter) take(ctx context.Context, r *Result, key string, n int64, peek bool) error {
	id := NewID()
	if l.memory != nil {
		r.ID = id
		if n < 0 {
			return ErrNegativeCost
		}
		l.memory.takeOne(r, hashedKey(l.space, l.memory.identity(key)), l.limit, n, peek)
		return nil
	}
	c := calls.Get().(*call)
	c.check[0] = Check{Key: l.key(key), Limit: l.limit, Cost: n, Peek: peek}
	err := l.store.Take(ctx, c.check[:], c.result[:])
	*r = c.result[0]
	r.ID = id
	*c = call{}
	calls.Put(c)
	return err
}

// call is what a store is asked: made anew each time it was an eighth of a refusal
// that needs no call of Redis.
type call struct {
	check  [1]Check
	result [1]Result
}

var calls = sync.Pool{New: func() any { return new(call) }}

func (l *Limiter) key(identity string) Key {
	return Key{Layer: "limiter", Limit: l.name, Identity: identity}
}

// Wait takes 1 for the key, as soon as there is room.
func (l *Limiter) Wait(ctx context.Context, key string) error {
	return l.WaitN(ctx, key, 1)
}

// WaitN takes n for the key, as soon as there is room. It returns at once with
// [ErrWaitExceedsDeadline] when the context ends no later than the wait, with
// [ErrNeverAdmitted] when no wait is long enough, and with the context's error
// when it ends. Several waiters for one key are served in no particular order.
func (l *Limiter) WaitN(ctx context.Context, key string, n int64) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := l.AllowN(ctx, key, n)
		if err != nil || r.Allowed {
			return err
		}
		if r.RetryAfter == Never {
			return ErrNeverAdmitted
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= r.RetryAfter {
			return ErrWaitExceedsDeadline
		}
		if err := sleep(ctx, r.RetryAfter); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Refund gives back what is left of a take of cost n, once, and reports whether
// it gave anything: what has leaked away or left its window meanwhile is not
// given back twice. r is the take's own result.
func (l *Limiter) Refund(ctx context.Context, key string, n int64, r Result) (bool, error) {
	if !r.Charged || n <= 0 {
		return false, nil
	}
	check := Check{Key: l.key(key), Limit: l.limit, Cost: n}
	return l.store.Refund(ctx, r.ID, []Charge{Charged(check, r)})
}

// Reset forgets the key: it is as one never seen.
func (l *Limiter) Reset(ctx context.Context, key string) error {
	return l.store.Reset(ctx, []Key{l.key(key)})
}
