package weir_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
)

// These run on the clock of a synctest bubble: time passes only while everyone
// waits, so that every wait is known to the microsecond.

// Wait passes at once while there is room, and then after exactly RetryAfter.
func TestWait(t *testing.T) {
	want := map[weir.Algorithm][]time.Duration{ // the bubble starts on a whole minute
		weir.GCRA:           {0, 0, 30 * time.Second, 60 * time.Second},
		weir.TokenBucket:    {0, 0, 30 * time.Second, 60 * time.Second},
		weir.FixedWindow:    {0, 0, 60 * time.Second, 60 * time.Second},
		weir.SlidingLog:     {0, 0, 60 * time.Second, 60 * time.Second},
		weir.SlidingCounter: {0, 0, 90 * time.Second, 120 * time.Second},
	}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		synctest.Test(t, func(t *testing.T) {
			limiter := newLimiter(t, weir.PerMinute(2), with(a))
			start := time.Now()
			for i, due := range want[a] {
				if err := limiter.Wait(t.Context(), who); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != due {
					t.Errorf("call %d passed after %s, want %s", i+1, got, due)
				}
			}
		})
	})
}

// WaitN takes all of its cost at once.
func TestWaitN(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, weir.PerMinute(10))
		start := time.Now()
		for i, n := range []int64{10, 0, 5, 5} {
			if err := limiter.WaitN(t.Context(), who, n); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(start), []time.Duration{0, 0, 30 * time.Second, 60 * time.Second}[i]; got != want {
				t.Errorf("%d passed after %s, want %s", n, got, want)
			}
		}
		if err := limiter.WaitN(t.Context(), who, -1); !errors.Is(err, weir.ErrNegativeCost) {
			t.Errorf("-1: %v", err)
		}
	})
}

// A wait that cannot end well ends at once and takes nothing.
func TestWaitGivesUpAtOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		count   int64
		n       int64
		timeout time.Duration
		want    error
	}{
		{"a deadline before it", 10, 5, 29 * time.Second, weir.ErrWaitExceedsDeadline},
		{"a deadline with it", 10, 5, 30 * time.Second, weir.ErrWaitExceedsDeadline},
		{"above the capacity", 10, 11, time.Hour, weir.ErrNeverAdmitted},
		{"blocked", 0, 1, time.Hour, weir.ErrNeverAdmitted},
		{"a context that has ended", 10, 1, 0, context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := newLimiter(t, weir.PerMinute(c.count))
				if c.count > 0 {
					passes(t, limiter, int(c.count))
				}
				ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
				defer cancel()
				start := time.Now()
				if err := limiter.WaitN(ctx, who, c.n); !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
				if got := time.Since(start); got != 0 {
					t.Errorf("it took %s", got)
				}
				time.Sleep(time.Minute)
				if r, err := limiter.Peek(t.Context(), who, 1); err != nil || r.Remaining != c.count {
					t.Errorf("a minute later %+v, %v", r, err)
				}
			})
		})
	}
}

// A deadline after the wait is no hindrance.
func TestWaitWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, weir.PerMinute(10))
		passes(t, limiter, 10)
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second+time.Microsecond)
		defer cancel()
		if err := limiter.Wait(ctx, who); err != nil {
			t.Error(err)
		}
	})
}

// A context that ends meanwhile ends the wait, and nothing is taken.
func TestWaitIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, weir.PerMinute(1))
		passes(t, limiter, 1)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		start := time.Now()
		if err := limiter.Wait(ctx, who); !errors.Is(err, context.Canceled) || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		time.Sleep(50 * time.Second)
		if got := passes(t, limiter, 2); got != 1 {
			t.Errorf("%d pass a minute after the first, want 1", got)
		}
	})
}

// Of many who wait for one key each is served, one by one as there is room.
func TestManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, weir.PerMinute(10), weir.WithBurst(1))
		start := time.Now()
		var mu sync.Mutex
		served := map[time.Duration]int{}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := limiter.Wait(t.Context(), who); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				served[time.Since(start)]++
			})
		}
		all.Wait()
		for i := range 20 {
			if at := time.Duration(i) * 6 * time.Second; served[at] != 1 {
				t.Errorf("%d served after %s, want 1", served[at], at)
			}
		}
	})
}
