package weir_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
)

// Keys do not share, and a limiter's answer carries an ID for the refund.
func TestLimiterKeysAreApart(t *testing.T) {
	ctx := t.Context()
	limiter := newLimiter(t, weir.PerHour(2))
	for _, key := range []string{"a", "b", "", "a:b"} {
		for i := range 3 {
			r, err := limiter.Allow(ctx, key)
			if err != nil || r.Allowed != (i < 2) || r.ID == 0 || r.Limit != 2 {
				t.Errorf("%q, call %d: %+v, %v", key, i+1, r, err)
			}
		}
	}
}

func TestLimiterPeekChargesNothing(t *testing.T) {
	c := newCaller(t, weir.PerMinute(10))
	for range 20 {
		if r := c.peek(10); !r.Allowed || r.Charged || r.Remaining != 10 {
			t.Fatalf("%+v", r)
		}
	}
	c.admits(10)
	if r := c.peek(1); r.Allowed || r.RetryAfter != 6*time.Second {
		t.Errorf("%+v", r)
	}
}

func TestLimiterReset(t *testing.T) {
	c := newCaller(t, weir.PerMinute(10))
	c.admits(10)
	if err := c.limiter.Reset(t.Context(), "another"); err != nil {
		t.Fatal(err)
	}
	c.remains(0)
	if err := c.limiter.Reset(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	c.remains(10)
	if c.store.Len() != 0 {
		t.Errorf("%d keys after a reset", c.store.Len())
	}
}

// A refund that is exact for a bucket needs the level before the take, which
// the result carries.
func TestLimiterRefund(t *testing.T) {
	c := newCaller(t, weir.PerMinute(10))
	c.admits(4)
	r := c.admits(5)
	if !c.at(3*time.Second).refund(5, r) {
		t.Error("nothing was given back")
	}
	if r := c.peek(10); r.Remaining != 6 || r.RetryAfter != 21*time.Second {
		t.Errorf("after it: %+v", r)
	}
}

// The options of a limit and of a limiter, and what they come to.
func TestNew(t *testing.T) {
	limiter := newLimiter(t, weir.PerMinute(100), weir.WithBurst(20), weir.WithAlgorithm(weir.TokenBucket))
	if got := limiter.Limit().String(); got != "100/min token-bucket burst 20" {
		t.Errorf("made %s", got)
	}
	if got := newLimiter(t, weir.PerMinute(100)).Limit().String(); got != "100/min gcra" {
		t.Errorf("by default: %s", got)
	}
	if limiter, err := weir.New(weir.PerMinute(-1)); err == nil || limiter != nil {
		t.Errorf("%v, %v", limiter, err)
	}
}

// A limiter closes its own store, as often as asked, and leaves the caller's
// open.
func TestLimiterClose(t *testing.T) {
	c := newCaller(t, weir.PerMinute(10))
	for range 2 {
		if err := errors.Join(c.limiter.Close(), newLimiter(t, weir.PerMinute(1)).Close()); err != nil {
			t.Error(err)
		}
	}
	c.admits(1)
	synctest.Test(t, func(t *testing.T) {
		store := weir.NewMemoryStore(weir.MemoryOptions{})
		defer store.Close()
		limiter := newLimiter(t, weir.PerMinute(1), weir.WithStore(store))
		passes(t, limiter, 1)
		limiter.Close()
		time.Sleep(2 * time.Minute)
		if store.Len() != 0 {
			t.Error("the caller's store was closed: it sweeps no more")
		}
	})
}

// An error of the store is the limiter's, and no decision.
func TestLimiterOnABrokenStore(t *testing.T) {
	ctx := t.Context()
	limiter := newLimiter(t, weir.PerMinute(10), weir.WithStore(brokenStore{}))
	_, allow := limiter.Allow(ctx, who)
	_, peek := limiter.Peek(ctx, who, 1)
	_, refund := limiter.Refund(ctx, who, 1, weir.Result{Charged: true, ID: 1})
	for name, err := range map[string]error{
		"Allow": allow, "Peek": peek, "Refund": refund, "Reset": limiter.Reset(ctx, who), "Wait": limiter.Wait(ctx, who),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type brokenStore struct{}

var errBroken = errors.New("broken")

func (brokenStore) Take(context.Context, []weir.Check, []weir.Result) error { return errBroken }
func (brokenStore) Refund(context.Context, weir.ID, []weir.Charge) (bool, error) {
	return false, errBroken
}
func (brokenStore) Reset(context.Context, []weir.Key) error { return errBroken }
