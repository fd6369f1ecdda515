package weir_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
)

// Giving back a reservation restores nothing where a later one exists, or too much.
// Here nobody reserves: of those who wait, one who leaves has taken nothing, and the
// others wait no longer for it.
func TestB29WhoLeavesTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, weir.PerSecond(10))
		start := time.Now()
		gone, leave := context.WithCancel(t.Context())
		waits := make(chan error, 1)
		passesAfter := func(d time.Duration, n int64) {
			t.Helper()
			if err := limiter.WaitN(t.Context(), who, n); err != nil || time.Since(start) != d {
				t.Errorf("%d passed after %s, %v; want %s", n, time.Since(start), err, d)
			}
		}
		passesAfter(0, 10)
		go func() { waits <- limiter.WaitN(gone, who, 5) }()
		synctest.Wait()
		leave()
		if err := <-waits; !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
			t.Errorf("who left: %v after %s", err, time.Since(start))
		}
		passesAfter(500*time.Millisecond, 5)
		passesAfter(time.Second, 5)
		if err := limiter.WaitN(t.Context(), who, 11); !errors.Is(err, weir.ErrNeverAdmitted) {
			t.Errorf("11 of 10: %v", err)
		}
		passesAfter(1100*time.Millisecond, 1)
	})
}

// What is given back is the call's own also where others came later.
func TestB29RefundBeforeLaterTakes(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.Per(10, time.Second), with(a))
		first := c.admits(3)
		later := c.admits(7)
		if !c.refund(3, first) {
			t.Error("nothing was given back")
		}
		c.remains(3)
		c.admits(3)
		if !c.refund(7, later) {
			t.Error("nothing was given back of the later one")
		}
		c.remains(7)
	})
}
