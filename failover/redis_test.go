package failover_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// patience is what a call with a budget of 20 ms may take on a machine with two
// busy cores. It tells a call that gave up in time from one that hangs: the
// client's own timeouts are a second.
const patience = 250 * time.Millisecond

func onRedis(t *testing.T, addr string, budget time.Duration) *failover.Store {
	t.Helper()
	shared, err := redisstore.Open("redis://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	store := failover.New(shared, failover.Options{Budget: budget})
	t.Cleanup(func() { store.Close(); shared.Close() })
	return store
}

// A server that is stopped, and one behind a network that swallows everything:
// no call takes much longer than its budget, most take no time at all, nothing
// piles up, and soon after the server answers again it is asked again (B50).
func TestSilentServer(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server.Addr)
	outage := time.Second
	if os.Getenv("WEIR_SOAK") != "" {
		outage = 30 * time.Second
	}
	for _, c := range []struct {
		name       string
		begin, end func()
	}{
		{"stopped", server.Pause, server.Resume},
		{"swallowed", func() { proxy.Swallow(true) }, func() { proxy.Swallow(false) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, limit := onRedis(t, proxy.Addr, 0), perHour(t, 1_000_000)
			redistest.Until(t, 2*time.Second, func() bool { return !askOnce(t, store, limit).Degraded }, "the store is asked")
			load := startLoad(store, limit)
			redistest.Until(t, 5*time.Second, func() bool { return load.calls() > 20 }, "there is traffic")

			before := runtime.NumGoroutine()
			c.begin()
			began := time.Now()
			most := 0
			redistest.Until(t, outage+5*time.Second, func() bool {
				most = max(most, runtime.NumGoroutine())
				return time.Since(began) > outage && load.degraded.Load() > 20
			}, "the outage is over")
			if s := store.Stats(); s.State == "closed" {
				t.Errorf("the breaker is closed in an outage: %+v", s)
			}
			c.end()
			redistest.Until(t, 3*time.Second, func() bool { return !askOnce(t, store, limit).Degraded }, "the store is asked again")
			took := load.stop(t)
			if longest := took[len(took)-1]; longest > patience {
				t.Errorf("one call took %s", longest)
			}
			if most > before+100 {
				t.Errorf("%d goroutines in the outage, %d before", most, before)
			}
			t.Logf("of %d calls %d were degraded; median %s, 99 of 100 within %s, longest %s", len(took), load.degraded.Load(), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
		})
	}
}

func askOnce(t testing.TB, store weir.Store, limit *weir.Limit) weir.Result {
	t.Helper()
	results := make([]weir.Result, 1)
	if err := store.Take(context.Background(), []weir.Check{{Key: key("ask"), Limit: limit, Cost: 1}}, results); err != nil {
		t.Error(err)
	}
	return results[0]
}

// load is 200 requests a second, each of its own.
type load struct {
	over     chan struct{}
	running  sync.WaitGroup
	degraded atomic.Int64

	mu   sync.Mutex
	took []time.Duration
	errs []error
}

func startLoad(store weir.Store, limit *weir.Limit) *load {
	l := &load{over: make(chan struct{})}
	l.running.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.running.Go(func() { l.ask(store, limit) })
			case <-l.over:
				return
			}
		}
	})
	return l
}

func (l *load) ask(store weir.Store, limit *weir.Limit) {
	results := make([]weir.Result, 1)
	start := time.Now()
	err := store.Take(context.Background(), []weir.Check{{Key: key("load"), Limit: limit, Cost: 1}}, results)
	took := time.Since(start)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, took)
	if err != nil {
		l.errs = append(l.errs, err)
	} else if results[0].Degraded {
		l.degraded.Add(1)
	}
}

func (l *load) calls() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.took)
}

// stop returns what the calls took, sorted.
func (l *load) stop(t *testing.T) []time.Duration {
	t.Helper()
	close(l.over)
	l.running.Wait()
	for _, err := range l.errs {
		t.Error(err)
	}
	slices.Sort(l.took)
	return l.took
}

// Ten thousand callers at once of a server that was just stopped are all answered
// from memory, and leave nothing behind.
func TestManyCallersOfAStoppedServer(t *testing.T) {
	server := redistest.Start(t)
	store, limit := onRedis(t, server.Addr, 0), perHour(t, 1_000_000)
	askOnce(t, store, limit)
	before := runtime.NumGoroutine()
	server.Pause()
	defer server.Resume()
	var callers sync.WaitGroup
	var degraded, longest atomic.Int64
	for range 10_000 {
		callers.Go(func() {
			start := time.Now()
			if askOnce(t, store, limit).Degraded {
				degraded.Add(1)
			}
			for took := int64(time.Since(start)); ; {
				if old := longest.Load(); took <= old || longest.CompareAndSwap(old, took) {
					return
				}
			}
		})
	}
	callers.Wait()
	if degraded.Load() != 10_000 {
		t.Errorf("%d of 10000 were degraded", degraded.Load())
	}
	// 10,000 goroutines take their time on two busy cores.
	if took := time.Duration(longest.Load()); took > 2*time.Second {
		t.Errorf("one caller waited for %s", took)
	}
	server.Resume()
	redistest.Until(t, 3*time.Second, func() bool { return !askOnce(t, store, limit).Degraded }, "the store is asked again")
	redistest.Until(t, 3*time.Second, func() bool { return runtime.NumGoroutine() < before+20 }, "goroutines are gone")
}

// A thousand callers that hang up at once do not turn limiting off (B53), and
// what of theirs reached the server is counted once.
func TestAbortedRequests(t *testing.T) {
	server := redistest.Start(t)
	store := onRedis(t, server.Addr, time.Minute) // it is not about budgets
	aborted := []weir.Check{{Key: key("aborted"), Limit: perHour(t, 1000, weir.WithAlgorithm(weir.SlidingLog)), Cost: 1}}
	var callers sync.WaitGroup
	var gone, answered atomic.Int64
	for range 1000 {
		callers.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			go cancel()
			switch err := store.Take(ctx, aborted, make([]weir.Result, 1)); {
			case err == nil:
				answered.Add(1)
			case errors.Is(err, context.Canceled):
				gone.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	callers.Wait()
	s := store.Stats()
	if s.State != "closed" || s.Failures != 0 || s.Degraded != 0 || s.Cancelled != gone.Load() {
		t.Errorf("%d hung up: %+v", gone.Load(), s)
	}
	if gone.Load() == 0 {
		t.Error("set-up: nobody hung up in time")
	}
	limit, admitted := perHour(t, 3), 0
	for range 10 {
		results := make([]weir.Result, 1)
		if err := store.Take(context.Background(), []weir.Check{{Key: key("normal"), Limit: limit, Cost: 1}}, results); err != nil {
			t.Fatal(err)
		}
		if results[0].Allowed {
			admitted++
		}
	}
	if admitted != 3 {
		t.Errorf("%d of 10 admitted, want 3", admitted)
	}
	redistest.Until(t, time.Second, func() bool {
		looked := []weir.Check{aborted[0]}
		looked[0].Peek = true
		results := make([]weir.Result, 1)
		if err := store.Take(context.Background(), looked, results); err != nil {
			t.Fatal(err)
		}
		counted := 1000 - results[0].Remaining
		return counted >= answered.Load() && counted <= 1000
	}, "every call that was answered is counted, and none twice")
}
