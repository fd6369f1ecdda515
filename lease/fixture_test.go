package lease_test

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/lease"
	"github.com/weirhq/weir/redisstore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	redistest.End()
	os.Exit(code)
}

// clock is an instant that a test sets, for the leases and for the server's scripts.
type clock struct{ us atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.us.Store(time.Date(2027, 7, 22, 0, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) now() time.Time       { return time.UnixMicro(c.us.Load()) }
func (c *clock) pass(d time.Duration) { c.us.Add(d.Microseconds()) }

// fleet are nodes on one Redis.
type fleet struct {
	testing.TB
	clock  *clock
	shared *redisstore.Store
	nodes  []*node
}

// node counts the calls that its leases make.
type node struct {
	*lease.Store
	primary *counting
}

type counting struct {
	weir.Store
	takes atomic.Int64
	fails atomic.Pointer[error]
	last  atomic.Pointer[weir.Charge] // that was given back
}

func (c *counting) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	c.takes.Add(1)
	if err := c.fails.Load(); err != nil {
		return *err
	}
	return c.Store.Take(ctx, checks, results)
}

func (c *counting) Refund(ctx context.Context, id weir.ID, charges []weir.Charge) (bool, error) {
	c.last.Store(&charges[0])
	if err := c.fails.Load(); err != nil {
		return false, *err
	}
	return c.Store.Refund(ctx, id, charges)
}

func newFleet(t testing.TB, nodes int) *fleet {
	t.Helper()
	return newFleetOn(t, "redis://"+redistest.Shared(t).Addr, nodes)
}

func newFleetOn(t testing.TB, url string, nodes int) *fleet {
	t.Helper()
	f := &fleet{TB: t, clock: newClock()}
	shared, err := redisstore.Open(url,
		redisstore.WithClock(f.clock.now), redisstore.WithMargin(time.Minute), redisstore.WithoutCoalescing())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Close() })
	f.shared = shared
	for range nodes {
		f.nodes = append(f.nodes, f.newNode())
	}
	return f
}

func (f *fleet) newNode() *node {
	primary := &counting{Store: f.shared}
	n := &node{lease.NewStill(primary, lease.Options{Clock: f.clock.now}), primary}
	f.Cleanup(func() { n.Close() })
	return n
}

func key(identity string) weir.Key {
	return weir.Key{Layer: "layer", Limit: "limit", Identity: identity}
}

func limitOf(t testing.TB, rate weir.Rate, options ...weir.LimitOption) *weir.Limit {
	t.Helper()
	l, err := weir.NewLimit(rate, options...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// eachLeased is for the algorithms that have leases.
func eachLeased(t *testing.T, test func(*testing.T, weir.Algorithm)) {
	for _, a := range slices.DeleteFunc(slices.Clone(weir.Algorithms()), func(a weir.Algorithm) bool { return a == weir.SlidingLog }) {
		t.Run(a.String(), func(t *testing.T) { test(t, a) })
	}
}

func decide(t testing.TB, store weir.Store, checks ...weir.Check) []weir.Result {
	t.Helper()
	results := make([]weir.Result, len(checks))
	if err := store.Take(context.Background(), checks, results); err != nil {
		t.Fatal(err)
	}
	return results
}

func take(t testing.TB, store weir.Store, k weir.Key, l *weir.Limit, n int64) weir.Result {
	t.Helper()
	return decide(t, store, weir.Check{Key: k, Limit: l, Cost: n})[0]
}

func (f *fleet) remaining(k weir.Key, l *weir.Limit) int64 {
	f.Helper()
	return decide(f, f.shared, weir.Check{Key: k, Limit: l, Cost: 1, Peek: true})[0].Remaining
}

// warmUp takes so often that the node has a lease, and returns how many requests
// were taken in all. No more are left in it than it was made for.
func (n *node) warmUp(t testing.TB, k weir.Key, l *weir.Limit) (taken int64) {
	t.Helper()
	for n.Stats().Local == 0 {
		if taken++; taken > 100 {
			t.Fatalf("no lease after %d takes: %+v", taken, n.Stats())
		}
		if r := take(t, n, k, l, 1); !r.Allowed {
			t.Fatalf("take %d: %+v", taken, r)
		}
	}
	return taken
}
