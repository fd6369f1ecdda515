package redisstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := lifetimes.end(); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		code = 1
	}
	redistest.End()
	os.Exit(code)
}

// sharedServer and its like are empty, and sampled: see lifetimes.
func sharedServer(t testing.TB) *redistest.Server {
	t.Helper()
	s := redistest.Shared(t)
	lifetimes.watch(s.Addr)
	return s
}

func sharedValkey(t testing.TB) *redistest.Server {
	t.Helper()
	s := redistest.SharedValkey(t)
	lifetimes.watch(s.Addr)
	return s
}

func sharedCluster(t testing.TB) *redistest.Cluster {
	t.Helper()
	c := redistest.SharedCluster(t)
	for _, n := range c.Nodes {
		lifetimes.watch(n.Addr)
	}
	return c
}

func urlOf(s *redistest.Server) string { return "redis://" + s.Addr }

func open(t testing.TB, url string, options ...redisstore.Option) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// clock is an instant that a test sets. Keys live by the server's clock, so a
// store that decides by another needs a margin for what the test takes meanwhile.
type clock struct{ now atomic.Int64 } // µs since the Unix epoch

const clockMargin = time.Minute

func newClock() *clock {
	c := &clock{}
	c.set(time.Date(2027, 7, 22, 0, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) read() time.Time      { return time.UnixMicro(c.now.Load()) }
func (c *clock) set(us int64)         { c.now.Store(max(0, us)) }
func (c *clock) pass(d time.Duration) { c.set(c.now.Load() + d.Microseconds()) }

func (c *clock) options() []redisstore.Option {
	return []redisstore.Option{redisstore.WithClock(c.read), redisstore.WithMargin(clockMargin)}
}

func limitOf(t testing.TB, rate weir.Rate, options ...weir.LimitOption) *weir.Limit {
	t.Helper()
	l, err := weir.NewLimit(rate, options...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func eachAlgorithm(t *testing.T, test func(*testing.T, weir.Algorithm)) {
	for _, a := range weir.Algorithms() {
		t.Run(a.String(), func(t *testing.T) { test(t, a) })
	}
}

func key(identity string) weir.Key {
	return weir.Key{Layer: "layer", Limit: "limit", Identity: identity}
}

func take(t testing.TB, store weir.Store, k weir.Key, l *weir.Limit, n int64) weir.Result {
	t.Helper()
	return decide(t, store, weir.Check{Key: k, Limit: l, Cost: n})[0]
}

func peek(t testing.TB, store weir.Store, k weir.Key, l *weir.Limit, n int64) weir.Result {
	t.Helper()
	return decide(t, store, weir.Check{Key: k, Limit: l, Cost: n, Peek: true})[0]
}

func decide(t testing.TB, store weir.Store, checks ...weir.Check) []weir.Result {
	t.Helper()
	results := make([]weir.Result, len(checks))
	if err := store.Take(context.Background(), checks, results); err != nil {
		t.Fatal(err)
	}
	return results
}

func soaking() bool { return os.Getenv("WEIR_SOAK") != "" }

// rounds is n, and many more in a soak.
func rounds(n int) int {
	if soaking() {
		return 20 * n
	}
	return n
}

// randomness is the same in each run, or as WEIR_SEED says, and new in each run
// of a soak. A test that fails says which.
func randomness(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if given, err := strconv.ParseUint(os.Getenv("WEIR_SEED"), 10, 64); err == nil {
		seed = given
	} else if soaking() {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to see it again: WEIR_SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}
