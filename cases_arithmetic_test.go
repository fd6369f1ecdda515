package weir_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// The TestB tests are named after the cases that were collected from reports
// against other rate limiters; each says what went wrong there, and holds for
// every algorithm to which it applies.

// Above about 1000/s an emission interval in whole milliseconds is 0: then
// nothing is ever stored and everything passes.
func TestB01HighRates(t *testing.T) {
	t.Run("6000 per second", func(t *testing.T) {
		inATenth := map[weir.Algorithm]int{weir.GCRA: 600, weir.TokenBucket: 600}
		retry := map[weir.Algorithm]time.Duration{
			weir.GCRA: 167 * time.Microsecond, weir.TokenBucket: 167 * time.Microsecond,
			weir.FixedWindow: time.Second, weir.SlidingLog: time.Second,
			weir.SlidingCounter: time.Second + 167*time.Microsecond,
		}
		eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
			c := newCaller(t, weir.PerSecond(6000), with(a))
			for left := int64(5999); left >= 0; left-- {
				if r := c.take(1); !r.Allowed || r.Remaining != left {
					t.Fatalf("with %d left after it: %+v", left, r)
				}
			}
			c.refuses(1, retry[a])
			if got := c.at(100 * time.Millisecond).passes(2000); got != inATenth[a] {
				t.Errorf("100 ms later %d pass, want %d", got, inATenth[a])
			}
		})
	})
	t.Run("2000 per second, one at a time", func(t *testing.T) {
		eachBucket(t, func(t *testing.T, a weir.Algorithm) {
			c := newCaller(t, weir.PerSecond(2000), with(a), weir.WithBurst(1))
			c.admits(1)
			c.at(400*time.Microsecond).refuses(1, 100*time.Microsecond)
			c.at(500 * time.Microsecond).admits(1)
		})
	})
	t.Run("a billion per second", func(t *testing.T) {
		eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
			options, n := []weir.Option{with(a)}, int64(1e8)
			if a.HasBurst() {
				options, n = append(options, weir.WithBurst(10)), 1
			}
			c := newCaller(t, weir.PerSecond(1e9), options...)
			passed := 0
			for range 20 {
				if c.take(n).Allowed {
					passed++
				}
			}
			if passed != 10 {
				t.Errorf("%d of 20 pass at one instant, want 10", passed)
			}
		})
	})
}

// Weights and limits of 32 bits wrap; limits beyond the backend's numbers fail
// at each request instead of when they are loaded.
func TestB05LargeLimits(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerHour(1<<32), with(a))
		if r := c.admits(1 << 31); r.Remaining != 1<<31 {
			t.Errorf("%d remain after half of 2^32", r.Remaining)
		}
		if r := c.admits(1 << 31); r.Remaining != 0 {
			t.Errorf("%d remain after 2^32", r.Remaining)
		}
		if r := c.take(1); r.Allowed || r.RetryAfter <= 0 || r.RetryAfter > 2*time.Hour {
			t.Errorf("one more than 2^32: %+v", r)
		}
	})
	largest := map[weir.Algorithm]int64{
		weir.GCRA: 1 << 40, weir.TokenBucket: 1 << 40, weir.FixedWindow: 1 << 53,
		weir.SlidingLog: 1 << 32, weir.SlidingCounter: 1 << 32,
	}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerHour(largest[a]), with(a))
		if r := c.admits(largest[a] - 1); r.Remaining != 1 {
			t.Errorf("%d remain after all but one of %d", r.Remaining, largest[a])
		}
		c.admits(1)
		_, err := weir.New(weir.PerHour(largest[a]+1), with(a))
		if refused, ok := errors.AsType[*weir.LimitError](err); !ok || refused.Field != "count" {
			t.Errorf("one more than can be: %v", err)
		}
	})
	_, err := weir.ParseRate("98765432198765432198765/h")
	if err == nil || !strings.Contains(err.Error(), "9223372036854775807") {
		t.Errorf("a count beyond 64 bits: %v", err)
	}
}
