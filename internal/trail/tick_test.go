package trail

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
)

// A tick each second has what was decided in it, by limit, with the refusals; the
// history keeps the last 300.
func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trail, limit := New(), perMinute(t, 10)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- trail.Run(ctx) }()
		_, next, stop, _ := trail.Listen()
		defer stop()

		trail.Decided(&Request{}, decided(check(limit, "ip:a"), true, noon))
		refused := decided(check(limit, "ip:a"), false, noon)
		trail.Decided(&Request{}, refused)
		shadow := check(limit, "ip:a")
		shadow.Key.Layer, shadow.Group = "try", &weir.Group{Shadow: true}
		trail.Decided(&Request{}, decided(shadow, false, noon))
		denied := weir.Deny(weir.NewID(), "edge: the caller is on the deny list")
		trail.Decided(&Request{}, &denied)
		trail.Failed()
		trail.Took(time.Millisecond)

		tick := <-next
		if tick.Allowed != 2 || tick.Refused != 1 || tick.ShadowRefused != 1 || tick.Denied != 1 || tick.Errors != 1 {
			t.Errorf("%+v", tick)
		}
		if tick.P50 < time.Millisecond || tick.P50 > 1250*time.Microsecond || tick.P99 != tick.P50 {
			t.Errorf("p50 %v, p99 %v of one millisecond", tick.P50, tick.P99)
		}
		if len(tick.Refusals) != 3 || tick.Refusals[0].ID != refused.ID || tick.Refusals[1].Refusing() != 0 || tick.Refusals[2].Refusing() != -1 {
			t.Errorf("refusals %+v", tick.Refusals)
		}
		if l := tick.Limits; len(l) != 2 || l[0].Layer != "edge" || l[0].Allowed != 1 || l[0].Refused != 1 || l[0].Fullest != 1000 || !l[1].Shadow || l[1].ShadowRefused != 1 {
			t.Errorf("limits %+v", l)
		}
		for range keptTicks + 10 {
			if tick = <-next; tick.Allowed != 0 || len(tick.Refusals) != 0 || tick.P50 != 0 {
				t.Fatalf("of an idle second: %+v", tick)
			}
		}
		past, _, stop2, _ := trail.Listen()
		defer stop2()
		if len(past) != keptTicks || len(past[0].Limits) != 0 {
			t.Errorf("%d ticks are kept", len(past))
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, open := <-next; open {
			t.Error("the listener is not ended")
		}
		if _, _, _, ok := trail.Listen(); ok {
			t.Error("one may listen after the end")
		}
	})
}

// A listener that does not read is dropped; its stop is harmless.
func TestSlowListenersAreDropped(t *testing.T) {
	trail := New()
	_, next, stop, _ := trail.Listen()
	for i := range listenerBehind + 1 {
		trail.Tick(noon.Add(time.Duration(i) * time.Second))
	}
	n := 0
	for range next {
		n++
	}
	if n != listenerBehind {
		t.Errorf("it got %d ticks", n)
	}
	stop()
	if len(trail.ticks.listeners) != 0 {
		t.Error("it is still there")
	}
}

// A limit that a reload removed is forgotten in an hour.
func TestIdleLimitsAreForgotten(t *testing.T) {
	trail := New()
	trail.Decided(&Request{}, decided(check(perMinute(t, 10), "ip:a"), true, noon))
	for range idleTicks + 1 {
		trail.Tick(noon)
	}
	if len(trail.Limits("edge")) != 1 {
		t.Error("it is forgotten too early")
	}
	trail.Tick(noon)
	if len(trail.Limits("edge")) != 0 {
		t.Error("it is not forgotten")
	}
}

// Quantiles are never too short, and at most a quarter too long.
func TestLatencyBuckets(t *testing.T) {
	for d := time.Duration(4); d < time.Hour; d += d/7 + 1 {
		if end := upper(bucketOf(d)); end <= d || end > d+d/4+1 {
			t.Fatalf("%v is told as %v", d, end)
		}
	}
	var l latency
	for i := range 100 {
		l.buckets[bucketOf(time.Duration(i+1)*time.Millisecond)].Add(1)
	}
	if p50, p99 := l.read(); p50 < 50*time.Millisecond || p50 > 63*time.Millisecond || p99 < 99*time.Millisecond || p99 > 125*time.Millisecond {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
}
