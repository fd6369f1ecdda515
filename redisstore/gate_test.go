package redisstore_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// gate is a client whose calls arrive when the test lets them.
type gate struct {
	*testing.T
	server *redistest.Server
	store  *redisstore.Store
	limit  *weir.Limit

	open  chan error // one for each call: nil lets it through
	calls atomic.Int64
}

func newGate(t *testing.T) *gate {
	g := &gate{T: t, server: sharedServer(t), limit: limitOf(t, weir.PerDay(10)), open: make(chan error, 1000)}
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(g.do))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(g.open)
		store.Close()
	})
	g.store = store
	return g
}

// do passes the calls of scripts on, once it may.
func (g *gate) do(ctx context.Context, args ...any) (any, error) {
	g.calls.Add(1)
	select {
	case err := <-g.open:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, err := redistest.Dial(g.server.Addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Do(words(args)...)
}

// take has somebody ask, and tells what they get.
func (g *gate) take(ctx context.Context, checks ...weir.Check) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		results := make([]weir.Result, len(checks))
		err := g.store.Take(ctx, checks, results)
		done <- answer{results, err}
	}()
	return done
}

type answer struct {
	results []weir.Result
	err     error
}

func (g *gate) one(n int64) weir.Check { return weir.Check{Key: key("a"), Limit: g.limit, Cost: n} }

// until waits for a condition that others bring about.
func (g *gate) until(what string, is func() bool) {
	g.Helper()
	deadline, tick := time.After(10*time.Second), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline:
			g.Fatal("not within 10 s: " + what)
		case <-tick.C:
		}
	}
}

// queue has the first call wait at the gate, and so many others wait for it.
func (g *gate) queue(ctx context.Context, n int, checks ...weir.Check) (first <-chan answer, others []<-chan answer) {
	g.Helper()
	first = g.take(context.Background(), checks...)
	g.until("the first call", func() bool { return g.calls.Load() == 1 })
	for i := range n {
		others = append(others, g.take(ctx, checks...))
		g.until("a queue", func() bool { return redisstore.Waiting(g.store) == i+1 })
	}
	return first, others
}

// load has the server know the script.
func (g *gate) load() {
	g.server.Do("script", "load", redisstore.Assemble("driver"))
}

// landed checks how many calls there were, and that nothing is kept of them.
func (g *gate) landed(calls int64) {
	g.Helper()
	g.until("all flights over", func() bool { return redisstore.Flights(g.store) == 0 })
	if n := g.calls.Load(); n != calls {
		g.Errorf("%d calls, want %d", n, calls)
	}
}

func words(args []any) []string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = fmt.Sprint(a)
	}
	return texts
}
