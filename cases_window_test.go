package weir_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A sliding counter that looks at the wrong window before is a fixed window; one
// that forgets to weigh it reports too much.
func TestB13WeightOfTheWindowBefore(t *testing.T) {
	c := newCaller(t, weir.PerMinute(100), with(weir.SlidingCounter))
	c.at(30 * time.Second)
	if got := c.passes(50); got != 50 {
		t.Fatalf("set-up: %d pass", got)
	}
	c.at(66 * time.Second)
	var r weir.Result
	for range 10 {
		r = c.admits(1)
	}
	if r.Remaining != 45 {
		t.Errorf("%d remain after ten, want 45 = 100 − 10 − 50·0.9", r.Remaining)
	}
	if got := c.passes(46); got != 45 {
		t.Errorf("%d more pass, want 45", got)
	}
}

// In every algorithm n = remaining passes at the same instant and one more does
// not, across windows.
func TestB13RemainingIsWhatPasses(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(100), with(a))
		for i := range 60 {
			c.at(time.Duration(i) * 7 * time.Second)
			left := c.peek(1).Remaining
			if r := c.peek(left + 1); r.Allowed {
				t.Fatalf("%d remain, and %d pass: %+v", left, left+1, r)
			}
			if left > 0 && i%3 == 0 {
				c.admits(left)
				c.remains(0)
			}
		}
	})
}

// A log with the time stamp as a set's member counts the requests of one tick
// once; one that counts before it trims refuses what has left.
func TestB15LogEntries(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerSecond(5), with(a))
		if got := c.passes(50); got != 5 {
			t.Errorf("%d of 50 pass at one instant, want 5", got)
		}
		c.remains(0)
	})
	c := newCaller(t, weir.Per(3, 10*time.Second), with(weir.SlidingLog))
	for _, second := range []time.Duration{0, 1, 2} {
		c.at(second * time.Second).admits(1)
	}
	c.at(9999*time.Millisecond).refuses(1, time.Millisecond)
	c.at(10 * time.Second).admits(1) // the entry of age exactly W has left
	c.at(10500*time.Millisecond).refuses(1, 500*time.Millisecond)
}

// A bucket that is polled faster than it refills never does, or jumps back to
// full every period.
func TestB17PollingLosesNoProgress(t *testing.T) {
	eachBucket(t, func(t *testing.T, a weir.Algorithm) {
		for _, polled := range []bool{false, true} {
			c := newCaller(t, weir.Per(1, 3*time.Second), with(a), weir.WithBurst(10))
			c.admits(10)
			passed := 0
			for tick := range 301 { // of 100 ms
				c.at(time.Duration(tick) * 100 * time.Millisecond)
				if polled {
					c.take(0)
					c.peek(1)
					c.refuses(11, weir.Never)
				}
				if tick == 0 || tick%10 != 0 {
					continue
				}
				allowed := c.take(1).Allowed
				if allowed {
					passed++
				}
				if allowed != (tick%30 == 0) {
					t.Errorf("polled %t: after %d s allowed %t", polled, tick/10, allowed)
				}
			}
			if passed != 10 {
				t.Errorf("polled %t: %d pass in 30 s, want 10", polled, passed)
			}
			c.at(61 * time.Second).remains(10)
		}
	})
}
