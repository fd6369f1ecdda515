package weir_test

import (
	"context"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// t0 is the first instant of a minute, an hour and a day.
var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// caller uses one key of a limiter in memory, at instants that it sets.
type caller struct {
	*testing.T
	limiter *weir.Limiter
	store   *weir.MemoryStore
	now     time.Time
}

const who = "user:42"

func newCaller(t *testing.T, rate weir.Rate, options ...weir.Option) *caller {
	t.Helper()
	c := &caller{T: t, now: t0}
	c.store = weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return c.now }})
	t.Cleanup(func() { c.store.Close() })
	limiter, err := weir.New(rate, append(options, weir.WithStore(c.store))...)
	if err != nil {
		t.Fatal(err)
	}
	c.limiter = limiter
	return c
}

// at sets the instant, as an offset from t0.
func (c *caller) at(offset time.Duration) *caller {
	c.now = t0.Add(offset)
	return c
}

func (c *caller) take(n int64) weir.Result {
	c.Helper()
	r, err := c.limiter.AllowN(context.Background(), who, n)
	if err != nil {
		c.Fatal(err)
	}
	return r
}

func (c *caller) peek(n int64) weir.Result {
	c.Helper()
	r, err := c.limiter.Peek(context.Background(), who, n)
	if err != nil {
		c.Fatal(err)
	}
	return r
}

func (c *caller) refund(n int64, r weir.Result) bool {
	c.Helper()
	gave, err := c.limiter.Refund(context.Background(), who, n, r)
	if err != nil {
		c.Fatal(err)
	}
	return gave
}

// passes is how many of calls of cost 1 pass.
func (c *caller) passes(calls int) (n int) {
	c.Helper()
	for range calls {
		if c.take(1).Allowed {
			n++
		}
	}
	return n
}

// admits fails unless a call of cost n passes.
func (c *caller) admits(n int64) weir.Result {
	c.Helper()
	r := c.take(n)
	if !r.Allowed || !r.Charged {
		c.Errorf("at %s: %d refused: %+v", c.now.Sub(t0), n, r)
	}
	return r
}

// refuses fails unless a call of cost n is refused and told to wait.
func (c *caller) refuses(n int64, retry time.Duration) weir.Result {
	c.Helper()
	r := c.take(n)
	if r.Allowed || r.Charged || r.RetryAfter != retry {
		c.Errorf("at %s: %d: retry after %s, want %s: %+v", c.now.Sub(t0), n, r.RetryAfter, retry, r)
	}
	return r
}

func (c *caller) remains(want int64) {
	c.Helper()
	if got := c.peek(1).Remaining; got != want {
		c.Errorf("at %s: %d remain, want %d", c.now.Sub(t0), got, want)
	}
}

func eachAlgorithm(t *testing.T, test func(*testing.T, weir.Algorithm)) {
	t.Helper()
	for _, a := range weir.Algorithms() {
		t.Run(a.String(), func(t *testing.T) { test(t, a) })
	}
}

// eachBucket is eachAlgorithm for the two that take a burst.
func eachBucket(t *testing.T, test func(*testing.T, weir.Algorithm)) {
	t.Helper()
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		if a.HasBurst() {
			test(t, a)
		}
	})
}

func with(a weir.Algorithm) weir.LimitOption { return weir.WithAlgorithm(a) }
