package redisstore_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// While a call is on its way those who ask the same wait, and then go as one, in
// the order in which they came: of 20 takes with room for 10 the first 10 pass.
func TestThoseWhoWaitGoTogether(t *testing.T) {
	g := newGate(t)
	g.load()
	first, others := g.queue(context.Background(), 19, g.one(1))
	g.open <- nil
	g.open <- nil
	if a := <-first; a.err != nil || a.results[0].Remaining != 9 {
		t.Errorf("the first: %+v", a)
	}
	for i, other := range others {
		a := <-other
		if want := max(0, int64(8-i)); a.err != nil || a.results[0].Allowed != (i < 9) || a.results[0].Remaining != want {
			t.Errorf("number %d of those who waited: %+v", i+1, a)
		}
	}
	g.landed(2)
}

// Another cost, limit or key is another question, and a peek is none of a take's.
// They do not wait for its call.
func TestOthersDoNotWait(t *testing.T) {
	limit := limitOf(t, weir.PerDay(11))
	for what, change := range map[string]func(*weir.Check){
		"cost":  func(c *weir.Check) { c.Cost = 2 },
		"limit": func(c *weir.Check) { c.Limit = limit },
		"key":   func(c *weir.Check) { c.Key = key("b") },
		"peek":  func(c *weir.Check) { c.Peek = true },
	} {
		t.Run(what, func(t *testing.T) {
			g := newGate(t)
			g.load()
			other := g.one(1)
			change(&other)
			first := g.take(context.Background(), g.one(1))
			g.until("the first call", func() bool { return g.calls.Load() == 1 })
			second := g.take(context.Background(), other)
			g.until("a call of its own", func() bool { return g.calls.Load() == 2 })
			g.open <- nil
			g.open <- nil
			for _, done := range []<-chan answer{first, second} {
				if a := <-done; a.err != nil {
					t.Error(a.err)
				}
			}
			g.landed(2)
		})
	}
}

// Peeks that wait are one, and charge nothing.
func TestPeeksGoTogether(t *testing.T) {
	g := newGate(t)
	g.load()
	peek := g.one(3)
	peek.Peek = true
	first, others := g.queue(context.Background(), 20, peek)
	g.open <- nil
	g.open <- nil
	for _, done := range append(others, first) {
		if a := <-done; a.err != nil || !a.results[0].Allowed || a.results[0].Remaining != 10 {
			t.Errorf("%+v", a)
		}
	}
	g.landed(2)
}

// Requests of several layers go together where all pass. Where not all do, each
// asks for itself after all: what a refused one charges depends on its layers.
func TestLayersGoTogether(t *testing.T) {
	for tight, wantCalls := range map[int64]int64{20: 2, 5: 2 + redisstore.OwnCalls + 1} {
		g := newGate(t)
		g.load()
		checks := []weir.Check{g.one(1), {Key: weir.Key{Layer: "other", Limit: "limit", Identity: "a"}, Limit: limitOf(t, weir.PerDay(tight)), Cost: 1, Group: &weir.Group{}}}
		first, others := g.queue(context.Background(), 9, checks...)
		g.open <- nil
		g.open <- nil
		if wantCalls > 2 {
			g.until("some that ask alone, and others that wait", func() bool {
				return g.calls.Load() == 2+redisstore.OwnCalls && redisstore.Sharing(g.store) == 9-redisstore.OwnCalls
			})
		}
		for range wantCalls - 2 {
			g.open <- nil
		}
		passed := int64(0)
		for _, done := range append(others, first) {
			a := <-done
			if a.err != nil {
				t.Fatal(a.err)
			}
			if a.results[0].Allowed && a.results[1].Allowed {
				passed++
			}
			if !a.results[0].Charged {
				t.Errorf("the first layer is charged by those that arrive: %+v", a)
			}
		}
		if passed != min(10, tight) {
			t.Errorf("of %d in the second layer %d passed", tight, passed)
		}
		g.landed(wantCalls)
	}
}

// Whoever gives up in the queue is not charged; who does so later may be. The
// others do not notice.
func TestThoseWhoGiveUp(t *testing.T) {
	g := newGate(t)
	g.load()
	ctx, cancel := context.WithCancel(context.Background())
	first, leaving := g.queue(ctx, 3, g.one(1))
	staying := g.take(context.Background(), g.one(1))
	g.until("a queue", func() bool { return redisstore.Waiting(g.store) == 4 })
	cancel()
	for _, done := range leaving {
		if a := <-done; !errors.Is(a.err, context.Canceled) {
			t.Errorf("%+v", a)
		}
	}
	g.open <- nil
	<-first
	g.until("the second call", func() bool { return g.calls.Load() == 2 })
	late, cancelLate := context.WithCancel(context.Background())
	lateDone := g.take(late, g.one(1))
	g.until("a queue", func() bool { return redisstore.Waiting(g.store) == 1 })
	cancelLate()
	<-lateDone
	g.open <- nil
	if a := <-staying; a.err != nil || a.results[0].Remaining != 8 {
		t.Errorf("who stayed: %+v", a)
	}
	g.landed(2)
}

// A call whose passengers have all gone ends, and the next one leaves.
func TestAllGiveUp(t *testing.T) {
	for name, within := range map[string]func() (context.Context, context.CancelFunc){
		"hung up": func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
		"their time is over": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 200*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t)
			g.load()
			ctx, cancel := within()
			defer cancel()
			first, others := g.queue(ctx, 3, g.one(1))
			g.open <- nil
			<-first
			g.until("the second call", func() bool { return g.calls.Load() == 2 })
			if name == "hung up" {
				cancel()
			}
			for _, done := range others {
				if a := <-done; !errors.Is(a.err, ctx.Err()) {
					t.Errorf("%v, the context: %v", a.err, ctx.Err())
				}
			}
			g.landed(2)
			g.open <- nil
			if a := <-g.take(context.Background(), g.one(1)); a.err != nil || a.results[0].Remaining != 8 {
				t.Errorf("who came after: %+v", a)
			}
		})
	}
}

// A call that fails fails for all who went with it, and those after go on.
func TestErrorsReachAllWhoWait(t *testing.T) {
	g := newGate(t)
	g.load()
	lost := errors.New("the connection is gone")
	first, others := g.queue(context.Background(), 5, g.one(1))
	g.open <- nil
	g.open <- lost
	if a := <-first; a.err != nil {
		t.Error(a.err)
	}
	for _, done := range others {
		if a := <-done; !errors.Is(a.err, lost) {
			t.Errorf("%+v", a)
		}
	}
	g.open <- nil
	if a := <-g.take(context.Background(), g.one(1)); a.err != nil || a.results[0].Remaining != 8 {
		t.Errorf("who came after: %+v", a)
	}
	g.landed(3)
}

// Where enough wait, a second call leaves before the first is back, and no third.
func TestEnoughDoNotWait(t *testing.T) {
	g := newGate(t)
	g.load()
	g.limit = limitOf(t, weir.PerDay(1000))
	first, others := g.queue(context.Background(), redisstore.EnoughPassengers-1, g.one(1))
	others = append(others, g.take(context.Background(), g.one(1)))
	g.until("a second call", func() bool { return g.calls.Load() == 2 && redisstore.Waiting(g.store) == 0 })
	for i := range redisstore.EnoughPassengers + 1 {
		others = append(others, g.take(context.Background(), g.one(1)))
		g.until("a queue", func() bool { return redisstore.Waiting(g.store) == i+1 })
	}
	for range 3 {
		g.open <- nil
	}
	left := map[int64]bool{}
	for _, done := range append(others, first) {
		a := <-done
		if a.err != nil || !a.results[0].Charged || left[a.results[0].Remaining] {
			t.Errorf("%+v", a)
		}
		left[a.results[0].Remaining] = true
	}
	g.landed(3)
}

// The queue is bounded: who finds it full goes alone.
func TestTheQueueIsBounded(t *testing.T) {
	g := newGate(t)
	g.load()
	first := g.take(context.Background(), g.one(1))
	g.until("the first call", func() bool { return g.calls.Load() == 1 })
	var waiting sync.WaitGroup
	for range redisstore.EnoughPassengers + redisstore.MaxPassengers + 2 {
		waiting.Go(func() {
			if err := g.store.Take(context.Background(), []weir.Check{g.one(1)}, make([]weir.Result, 1)); err != nil {
				t.Error(err)
			}
		})
	}
	g.until("a second call, and two that go alone", func() bool {
		return g.calls.Load() == 4 && redisstore.Waiting(g.store) == redisstore.MaxPassengers
	})
	for range 5 {
		g.open <- nil
	}
	waiting.Wait()
	<-first
	g.landed(5)
}

// Whoever comes alone makes the call that it would make without coalescing.
func TestNobodyWaitsAlone(t *testing.T) {
	server := sharedServer(t)
	for _, o := range [][]redisstore.Option{nil, {redisstore.WithoutCoalescing()}} {
		store := open(t, urlOf(server), o...)
		server.Do("config", "resetstat")
		for range 20 {
			take(t, store, key("a"), limitOf(t, weir.PerDay(10)), 1)
		}
		if n := commandCalls(server, "evalsha"); n != 20 {
			t.Errorf("%d calls for 20 takes", n)
		}
	}
}

// On a server that answers, callers of one key take fewer calls than they are, and
// exactly the limit passes: from several stores, as from several processes, one of
// which remembers refusals.
func TestManyCallersOfOneKey(t *testing.T) {
	server := sharedServer(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limit, k := limitOf(t, weir.PerDay(700), weir.WithAlgorithm(a)), key(t.Name())
		stores := []*redisstore.Store{open(t, urlOf(server)), open(t, urlOf(server), redisstore.WithDenyCache(time.Second))}
		server.Do("config", "resetstat")
		var passed atomic.Int64
		var callers sync.WaitGroup
		for i := range 128 {
			callers.Go(func() {
				for range 20 {
					if take(t, stores[i%2], k, limit, 1).Allowed {
						passed.Add(1)
					}
				}
			})
		}
		callers.Wait()
		if passed.Load() != 700 {
			t.Errorf("%d passed of 700", passed.Load())
		}
		if n := commandCalls(server, "evalsha"); n > 128*20/2 {
			t.Errorf("%d calls for %d takes", n, 128*20)
		}
	})
}
