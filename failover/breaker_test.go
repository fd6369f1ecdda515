package failover_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
)

// A store that says nothing costs a decision its budget, to the nanosecond.
func TestBudget(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: 20 * time.Millisecond, -1: 20 * time.Millisecond, time.Second: time.Second} {
		inTime(t, failover.Options{Budget: given}, func(tr *trial) {
			tr.primary.is(silent)
			start := time.Now()
			if r := tr.take(key("a"), perHour(tr, 10), 1); !r.Allowed || !r.Degraded || r.Remaining != 9 {
				tr.Errorf("%+v", r)
			}
			if took := time.Since(start); took != want {
				tr.Errorf("a budget of %s: it took %s", given, took)
			}
		})
	}
}

// Five failures in a row open the breaker: from then on nobody asks and nobody
// waits. A second later one call tries, and only one; as soon as it gets an answer
// everybody asks again.
func TestBreaker(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		limit := perHour(tr, 1_000_000)
		tr.primary.is(silent)
		for i := range 4 {
			tr.take(key("a"), limit, 1)
			if s := tr.store.Stats(); s.State != "closed" || s.Failures != int64(i+1) {
				tr.Fatalf("after %d failures: %+v", i+1, s)
			}
		}
		tr.primary.is(nil)
		tr.take(key("a"), limit, 1) // the row is broken
		tr.primary.is(silent)
		for range 5 {
			tr.take(key("a"), limit, 1)
		}
		tr.changed("open")

		start := time.Now()
		for range 100 {
			if r := tr.take(key("a"), limit, 1); !r.Degraded {
				tr.Fatalf("%+v", r)
			}
		}
		if took := time.Since(start); took != 0 || tr.primary.asked() != 5 {
			tr.Errorf("100 decisions while it was open took %s; it was asked %d times", took, tr.primary.asked())
		}

		tr.pass(time.Second + 1)
		tr.probe(limit, 1)
		tr.changed("open", "half-open", "open")
		tr.pass(time.Second + 1)
		tr.primary.is(nil)
		if r := tr.take(key("a"), limit, 1); r.Degraded {
			tr.Errorf("the probe got an answer: %+v", r)
		}
		tr.changed("open", "half-open", "open", "half-open", "closed")
		if s := tr.store.Stats(); s.State != "closed" || s.LastFailure != context.DeadlineExceeded.Error() {
			tr.Errorf("%+v", s)
		}
	})
}

// probe has 50 callers come at once to a silent primary, of which want may reach
// it, while the others do not wait.
func (tr *trial) probe(limit *weir.Limit, want int) {
	tr.Helper()
	tr.primary.is(silent)
	start := time.Now()
	var waited atomic.Int64
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			if r := tr.take(key("a"), limit, 1); !r.Degraded {
				tr.Errorf("%+v", r)
			}
			if time.Since(start) > 0 {
				waited.Add(1)
			}
		})
	}
	callers.Wait()
	if tr.primary.asked() != want || waited.Load() != int64(want) {
		tr.Errorf("of 50 callers %d asked and %d waited, want %d", tr.primary.asked(), waited.Load(), want)
	}
}

// Callers that hang up are no failure: they do not open the breaker (B53), whether
// they do so before the call or in the midst of it, and are counted apart.
func TestCallersThatHangUp(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		checks := []weir.Check{{Key: key("a"), Limit: perHour(tr, 3), Cost: 1}}
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		for range 500 {
			if err := tr.store.Take(gone, checks, make([]weir.Result, 1)); !errors.Is(err, context.Canceled) {
				tr.Fatal(err)
			}
		}
		tr.primary.is(silent)
		for range 500 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if err := tr.store.Take(ctx, checks, make([]weir.Result, 1)); !errors.Is(err, context.DeadlineExceeded) {
				tr.Fatal(err)
			}
			cancel()
		}
		if s := tr.store.Stats(); s.State != "closed" || s.Cancelled != 1000 || s.Failures != 0 || s.Degraded != 0 {
			tr.Errorf("%+v", s)
		}
		tr.primary.is(nil)
		admitted := 0
		for range 10 {
			if tr.decide(checks...)[0].Allowed {
				admitted++
			}
		}
		if admitted != 3 {
			tr.Errorf("%d of 10 admitted, want 3", admitted)
		}
		tr.changed()
	})
}

// A probe whose caller hangs up, or which panics, does not keep the next from
// trying.
func TestProbesThatDoNotEnd(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		checks := []weir.Check{{Key: key("a"), Limit: perHour(tr, 100), Cost: 1}}
		tr.opens()
		tr.pass(time.Second + 1)
		tr.primary.is(silent)
		for range 20 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if err := tr.store.Take(ctx, checks, make([]weir.Result, 1)); !errors.Is(err, context.DeadlineExceeded) {
				tr.Fatal(err)
			}
			cancel()
		}
		if tr.primary.asked() != 20 {
			tr.Errorf("20 callers in turn, %d asked", tr.primary.asked())
		}
		tr.primary.is(func(context.Context) error { panic("a bug") })
		func() {
			defer func() { recover() }()
			tr.decide(checks...)
		}()
		tr.primary.is(nil)
		tr.pass(time.Second + 1)
		if r := tr.decide(checks...)[0]; r.Degraded {
			tr.Errorf("%+v, %+v", r, tr.store.Stats())
		}
	})
}

// A question that no store answers is an error of whoever asks, not of the store.
func TestQuestionsThatNobodyAnswers(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		limit := perHour(tr, 100)
		for _, c := range []struct {
			checks []weir.Check
			want   error
		}{
			{[]weir.Check{{Key: key("a"), Limit: limit, Cost: -1}}, weir.ErrNegativeCost},
			{[]weir.Check{{Key: key("a"), Cost: 1}}, weir.ErrNoLimit},
			{[]weir.Check{{Key: key("a"), Limit: limit, Cost: 1}, {Key: key("a"), Limit: limit, Cost: 1}}, weir.ErrDuplicateKey},
		} {
			for range 10 {
				if err := tr.store.Take(context.Background(), c.checks, make([]weir.Result, 2)); !errors.Is(err, c.want) {
					tr.Errorf("%v, want %v", err, c.want)
				}
			}
		}
		tr.primary.is(func(context.Context) error { return fmt.Errorf("redisstore: %w", weir.ErrDuplicateKey) })
		for range 10 {
			err := tr.store.Take(context.Background(), []weir.Check{{Key: key("a"), Limit: limit, Cost: 1}}, make([]weir.Result, 1))
			if !errors.Is(err, weir.ErrDuplicateKey) {
				tr.Errorf("%v", err)
			}
		}
		if s := tr.store.Stats(); s.State != "closed" || s.Failures != 0 || s.Degraded != 0 {
			tr.Errorf("%+v", s)
		}
	})
}
