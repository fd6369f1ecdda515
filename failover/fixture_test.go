package failover_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
)

// primary is a store that does as it is told: it decides in a memory of its own,
// fails, or says nothing.
type primary struct {
	*weir.MemoryStore

	mu    sync.Mutex
	mood  func(context.Context) error // nil: it decides
	calls int
}

var errDown = errors.New("down")

func fails(context.Context) error { return errDown }

func silent(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func (p *primary) is(mood func(context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mood, p.calls = mood, 0
}

// asked is how often it was asked since its mood last changed.
func (p *primary) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

func (p *primary) call(ctx context.Context) error {
	p.mu.Lock()
	p.calls++
	mood := p.mood
	p.mu.Unlock()
	if mood == nil {
		return nil
	}
	return mood(ctx)
}

func (p *primary) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if err := p.call(ctx); err != nil {
		return err
	}
	return p.MemoryStore.Take(ctx, checks, results)
}

func (p *primary) Refund(ctx context.Context, id weir.ID, charges []weir.Charge) (bool, error) {
	if err := p.call(ctx); err != nil {
		return false, err
	}
	return p.MemoryStore.Refund(ctx, id, charges)
}

func (p *primary) Reset(ctx context.Context, keys []weir.Key) error {
	if err := p.call(ctx); err != nil {
		return err
	}
	return p.MemoryStore.Reset(ctx, keys)
}

// trial is a store in front of a primary, with a clock that moves when everybody
// waits.
type trial struct {
	*testing.T
	primary *primary
	store   *failover.Store

	mu     sync.Mutex
	states []string // as OnChange was told
}

func inTime(t *testing.T, o failover.Options, test func(*trial)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr := &trial{T: t, primary: &primary{MemoryStore: weir.NewMemoryStore(weir.MemoryOptions{})}}
		o.OnChange = func(state string, _ error) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			tr.states = append(tr.states, state)
		}
		tr.store = failover.New(tr.primary, o)
		defer tr.primary.Close()
		defer tr.store.Close()
		test(tr)
	})
}

func key(identity string) weir.Key {
	return weir.Key{Layer: "layer", Limit: "limit", Identity: identity}
}

func perHour(t testing.TB, n int64, options ...weir.LimitOption) *weir.Limit {
	t.Helper()
	l, err := weir.NewLimit(weir.PerHour(n), options...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (tr *trial) take(k weir.Key, l *weir.Limit, n int64) weir.Result {
	tr.Helper()
	return tr.decide(weir.Check{Key: k, Limit: l, Cost: n})[0]
}

func (tr *trial) decide(checks ...weir.Check) []weir.Result {
	tr.Helper()
	results := make([]weir.Result, len(checks))
	if err := tr.store.Take(context.Background(), checks, results); err != nil {
		tr.Fatal(err)
	}
	return results
}

// opens makes the primary fail until it is not asked any more.
func (tr *trial) opens() {
	tr.Helper()
	tr.primary.is(fails)
	for range 5 {
		tr.take(key("opens"), perHour(tr, 1000), 1)
	}
	if s := tr.store.Stats(); s.State != "open" {
		tr.Fatalf("set-up: %+v", s)
	}
}

// pass makes time pass.
func (tr *trial) pass(d time.Duration) { <-time.After(d) }

func (tr *trial) changed(want ...string) {
	tr.Helper()
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if len(want) != len(tr.states) {
		tr.Fatalf("the breaker was %q, want %q", tr.states, want)
	}
	for i := range want {
		if tr.states[i] != want[i] {
			tr.Fatalf("the breaker was %q, want %q", tr.states, want)
		}
	}
}
