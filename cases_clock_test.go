package weir_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// Where the caller supplies "now", one whose clock is behind rewinds the refill,
// and the next refills the same second again. Here no caller has a say; but even
// if the store's own clock steps back, a key does not go back with it.
func TestB07ClocksThatDisagree(t *testing.T) {
	eachBucket(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerSecond(2), with(a), weir.WithBurst(4))
		ahead, behind := time.Second, -10*time.Second
		got := c.at(ahead).passes(4) + c.at(behind).passes(1) + c.at(ahead).passes(4)
		if got != 4 {
			t.Errorf("at first %d pass, want 4", got)
		}
		got = 0
		for i := range 9 {
			skew := []time.Duration{ahead, behind}[i%2]
			got += c.at(time.Second + skew).passes(1)
		}
		if got != 2 {
			t.Errorf("a second later %d pass, want 2", got)
		}
		if a, b := c.at(time.Second+ahead).peek(1), c.at(time.Second+behind).peek(1); a.RetryAfter != b.RetryAfter || a.ResetAfter != b.ResetAfter || a.At != b.At {
			t.Errorf("two clocks are told %+v and %+v", a, b)
		}
	})
	for _, a := range []weir.Algorithm{weir.FixedWindow, weir.SlidingLog, weir.SlidingCounter} {
		t.Run(a.String(), func(t *testing.T) {
			c := newCaller(t, weir.PerMinute(4), with(a))
			got := 0
			for i := range 20 {
				got += c.at([]time.Duration{90 * time.Second, 30 * time.Second}[i%2]).passes(1)
			}
			if got != 4 {
				t.Errorf("%d pass under a clock that alternates between two minutes, want 4", got)
			}
		})
	}
}

// A state ten hours ahead of a new clock refuses for ten hours. In memory the
// clock is monotonic, so that there is none; an older instant is taken to be the
// newest the key has seen. So no answer tells of a longer wait than one full
// drain or window, and nothing is forgiven meanwhile.
func TestB09StepBackOfTenHours(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(10), with(a))
		c.at(10 * time.Hour).admits(10)
		atTheTime := c.take(1)
		r := c.at(0).take(1)
		if r.Allowed || r.RetryAfter != atTheTime.RetryAfter || r.RetryAfter > 66*time.Second || r.ResetAfter > 2*time.Minute {
			t.Errorf("ten hours back: %+v, was %+v", r, atTheTime)
		}
		if r.At != t0.Add(10*time.Hour).UnixMicro() {
			t.Errorf("decided at %s", time.UnixMicro(r.At))
		}
		c.at(10*time.Hour + r.RetryAfter).admits(1)
	})
}
