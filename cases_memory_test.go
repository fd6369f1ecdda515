package weir_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
)

// A key that is forgotten before it would be full again is forgiven its debt.
// Here the store sweeps itself every second of the bubble's clock.
func TestB19NoDebtIsForgiven(t *testing.T) {
	type call struct {
		at     time.Duration
		n      int
		passes int
	}
	for _, c := range []struct {
		name  string
		rate  weir.Rate
		burst int64
		calls []call
	}{
		{"1 per 10 s", weir.Per(1, 10*time.Second), 1, []call{
			{0, 1, 1}, {1500 * time.Millisecond, 1, 0}, {9900 * time.Millisecond, 1, 0}, {10 * time.Second, 1, 1},
		}},
		{"3/s, one at a time", weir.PerSecond(3), 1, []call{{0, 10, 1}}},
		{"10/min with a burst of 100", weir.PerMinute(10), 100, []call{
			{0, 100, 100}, {62 * time.Second, 200, 10}, // a life of window + 1 s would give 100
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachBucket(t, func(t *testing.T, a weir.Algorithm) {
				synctest.Test(t, func(t *testing.T) {
					limiter := newLimiter(t, c.rate, with(a), weir.WithBurst(c.burst))
					start := time.Now()
					for _, call := range c.calls {
						time.Sleep(call.at - time.Since(start))
						if got := passes(t, limiter, call.n); got != call.passes {
							t.Errorf("at %s %d of %d pass, want %d", call.at, got, call.n, call.passes)
						}
					}
				})
			})
		})
	}
}

// Seconds and milliseconds mixed make keys live a thousand times too long;
// windows below a second make them live for ever, or not at all.
func TestB21KeysLiveAsLongAsTheyMatter(t *testing.T) {
	for _, period := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second, time.Hour, 30 * 24 * time.Hour} {
		t.Run(period.String(), func(t *testing.T) {
			eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
				c := newCaller(t, weir.Per(5, period), with(a))
				if got := c.passes(20); got != 5 {
					t.Errorf("%d of 20 pass at one instant, want 5", got)
				}
				r := c.peek(1)
				if r.ResetAfter <= 0 || r.ResetAfter > 2*period {
					t.Errorf("good as new after %s", r.ResetAfter)
				}
				c.at(r.ResetAfter - time.Microsecond)
				if r := c.peek(5); a != weir.FixedWindow && r.ResetAfter <= 0 {
					t.Errorf("a microsecond before that: %+v", r)
				}
				c.at(r.ResetAfter).admits(5)
			})
		})
	}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		synctest.Test(t, func(t *testing.T) { testLifeOfAKey(t, a) })
	})
}

func testLifeOfAKey(t *testing.T, a weir.Algorithm) {
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 1})
	defer store.Close()
	limiter := newLimiter(t, weir.PerHour(5), with(a), weir.WithStore(store))
	r, err := limiter.AllowN(context.Background(), who, 5)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(r.ResetAfter - time.Second)
	if store.Len() != 1 {
		t.Error("forgotten a second too early")
	}
	time.Sleep(2100 * time.Millisecond)
	if store.Len() != 0 {
		t.Errorf("not forgotten a second after %s", r.ResetAfter)
	}
}

// A log as long as its limit for each key takes gigabytes.
func TestB23MemoryFollowsUse(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		before := heapInUse()
		limiter := newLimiter(t, weir.PerMinute(1_000_000), with(a))
		for i := range 10_000 {
			if r, err := limiter.Allow(context.Background(), fmt.Sprint(i)); err != nil || !r.Allowed {
				t.Fatal(r, err)
			}
		}
		if grown := heapInUse() - before; grown > 10<<20 {
			t.Errorf("10,000 keys of one call each take %d kB, far from 50 MB is wanted", grown>>10)
		}
		runtime.KeepAlive(limiter)
	})
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A cleaner that cannot be stopped leaks with each reload; a window of 0 panics.
func TestB25LimitersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 1000 {
		limiter, err := weir.New(weir.PerMinute(10))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := limiter.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines before, %d after 1000 limiters", before, after)
	}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		for _, period := range []time.Duration{0, -time.Second} {
			_, err := weir.New(weir.Per(10, period), with(a))
			if refused, ok := errors.AsType[*weir.LimitError](err); !ok || refused.Field != "period" {
				t.Errorf("a period of %s: %v", period, err)
			}
		}
	})
}

// newLimiter is one with a store of its own by the real clock, or a bubble's.
func newLimiter(t *testing.T, rate weir.Rate, options ...weir.Option) *weir.Limiter {
	t.Helper()
	limiter, err := weir.New(rate, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { limiter.Close() })
	return limiter
}

// passes is how many of calls of cost 1 pass.
func passes(t *testing.T, limiter *weir.Limiter, calls int) (n int) {
	t.Helper()
	for range calls {
		r, err := limiter.Allow(context.Background(), who)
		if err != nil {
			t.Fatal(err)
		}
		if r.Allowed {
			n++
		}
	}
	return n
}
