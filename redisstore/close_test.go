package redisstore_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// Close waits for the call that is on its way and for those who wait for it, but
// not for those who come later: they would keep it for ever.
func TestCloseWaitsForNobodyNew(t *testing.T) {
	g := newGate(t)
	g.load()
	first, waiting := g.queue(context.Background(), 1, g.one(1))
	g.open <- nil
	<-first
	g.until("the second call", func() bool { return g.calls.Load() == 2 })
	inTime := g.take(context.Background(), g.one(1))
	g.until("a queue", func() bool { return redisstore.Waiting(g.store) == 1 })
	closed := make(chan struct{})
	go func() {
		g.store.Close()
		close(closed)
	}()
	g.until("the end to begin", func() bool { return redisstore.Closing(g.store) })
	late := g.take(context.Background(), g.one(1))
	g.until("a call of its own", func() bool { return g.calls.Load() == 3 })
	select {
	case <-closed:
		t.Error("closed before the call was back")
	default:
	}
	for range 3 {
		g.open <- nil
	}
	for _, done := range []<-chan answer{waiting[0], inTime, late} {
		if a := <-done; a.err != nil {
			t.Error(a.err)
		}
	}
	<-closed
	g.landed(4)
}

// A store that is closed under load closes, and those who go on get errors.
func TestCloseUnderLoad(t *testing.T) {
	store, err := redisstore.Open(urlOf(sharedServer(t)))
	if err != nil {
		t.Fatal(err)
	}
	limit := limitOf(t, weir.PerDay(1<<40))
	var callers sync.WaitGroup
	var decided atomic.Int64
	for i := range 64 {
		callers.Go(func() {
			for try(store, key(fmt.Sprint(i%8)), limit) == nil {
				decided.Add(1)
			}
		})
	}
	redistest.Until(t, 10*time.Second, func() bool { return decided.Load() > 1000 }, "load")
	store.Close()
	callers.Wait()
}
