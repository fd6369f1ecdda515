package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// Requests that share a call get, field by field, the answers that they would have
// got one after the other at the same instant, and leave the same states: whatever
// their groups, also where they name the same keys, and where one of them stands
// for several callers.
func TestOneCallDecidesOneAfterTheOther(t *testing.T) {
	clock := newClock()
	p := &pair{T: t, clock: clock, shape: shape{changing: true}, r: randomness(t), limits: limitPool(t)}
	memory := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock.read})
	defer memory.Close()
	p.memory, p.redis = memory, open(t, urlOf(sharedServer(t)), clock.options()...)
	merged := map[bool]int{}
	for range rounds(1500) {
		clock.pass(time.Duration(p.r.IntN(3_000_000)) * time.Microsecond)
		var requests [][]weir.Check
		var times []int
		for range 1 + p.r.IntN(6) {
			checks := p.request()
			switch p.r.IntN(4) {
			case 0, 1:
				checks = checks[:1]
			case 2:
				light(checks)
			}
			if !redisstore.Shareable(checks) {
				continue
			}
			n := 1
			if p.r.IntN(2) == 0 && redisstore.Mergeable(checks) && slices.ContainsFunc(checks, func(c weir.Check) bool { return !c.Peek && c.Cost > 0 }) {
				n = 2 + p.r.IntN(4)
			}
			requests, times = append(requests, checks), append(times, n)
		}
		if len(requests) == 0 {
			continue
		}
		all, err := redisstore.OneCall(p.redis, requests, times)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range all {
			if times[i] > 1 {
				merged[got != nil]++
			}
			p.sameAsAlone(got, requests[i], times[i])
		}
	}
	t.Logf("%d checks: %d charged, %d refused, %d passed uncharged; several callers: %v", p.checks, p.charged, p.refused, p.givenBack, merged)
	if least := rounds(1500) / 20; p.charged < least || p.refused < least || p.givenBack < least || merged[true] < least || merged[false] < least/5 {
		t.Error("too few of one kind")
	}
}

// sameAsAlone has callers ask in memory, and compares. Those who have to ask alone
// ask neither here nor there.
func (p *pair) sameAsAlone(got []weir.Result, checks []weir.Check, times int) {
	p.Helper()
	for i := range times {
		if got == nil {
			return
		}
		want := make([]weir.Result, len(checks))
		if err := p.memory.Take(context.Background(), checks, want); err != nil {
			p.Fatal(err)
		}
		if got := got[i*len(checks):][:len(checks)]; !slices.Equal(got, want) {
			p.Fatalf("%d of %d, at %s, of %+v on %s\n- alone, + in one call:\n%s", i+1, times, p.clock.read(), checks, checks[0].Limit, cmp.Diff(want, got))
		}
		p.count(weir.Decide(weir.NewID(), checks, want))
	}
}

// busy has as many calls at the gate as there are before others have to wait.
func (g *gate) busy() (done []<-chan answer) {
	g.Helper()
	for i := range redisstore.OwnCalls {
		c := g.one(1)
		c.Key = key(fmt.Sprint("own", i))
		done = append(done, g.take(context.Background(), c))
		g.until("a call of its own", func() bool { return g.calls.Load() == int64(i+1) })
	}
	return done
}

// join has others wait for those, each after the one before.
func (g *gate) join(ctx context.Context, requests ...[]weir.Check) (done []<-chan answer) {
	g.Helper()
	for _, checks := range requests {
		before := redisstore.Sharing(g.store)
		done = append(done, g.take(ctx, checks...))
		g.until("one that waits", func() bool { return redisstore.Sharing(g.store) == before+1 })
	}
	return done
}

func (g *gate) named(name string, n int64) []weir.Check {
	c := g.one(n)
	c.Key = key(name)
	return []weir.Check{c}
}

// Beyond a few calls, whoever asks something else waits until one of them is back,
// and goes with all who wait as well: one who asks for more than there is, one of
// several layers, one whose key holds something that is not weir's.
func TestOthersShareACall(t *testing.T) {
	g := newGate(t)
	g.load()
	foreign := redisstore.KeyName(g.store, key("foreign"))
	g.server.Do("eval", "redis.call('LPUSH', KEYS[1], 'a list') redis.call('PEXPIRE', KEYS[1], 60000)", "1", foreign)
	own := g.busy()
	layers := append(g.named("layer 1", 2), g.named("layer 2", 3)...)
	waiting := g.join(context.Background(), g.named("plenty", 4), g.named("foreign", 1), g.named("too much", 11), layers, g.named("plenty", 5))
	g.open <- nil
	g.until("one call for all of them", func() bool { return g.calls.Load() == redisstore.OwnCalls+1 })
	for range redisstore.OwnCalls {
		g.open <- nil
	}
	var remaining []int64
	for _, done := range append(own, waiting...) {
		a := <-done
		if a.err != nil {
			t.Fatal(a.err)
		}
		for _, r := range a.results {
			remaining = append(remaining, r.Remaining)
		}
	}
	if want := []int64{9, 9, 9, 9, 6, 9, 10, 8, 7, 1}; !slices.Equal(remaining, want) {
		t.Errorf("what remains: %v, want %v", remaining, want)
	}
	g.landed(redisstore.OwnCalls + 1)
}

// As many as go in one call do not wait for another to be back.
func TestAFullCallLeavesAtOnce(t *testing.T) {
	g := newGate(t)
	g.load()
	all := g.busy()
	for i := range redisstore.SharedChecks {
		all = append(all, g.take(context.Background(), g.named(fmt.Sprint("shared", i), 1)...))
	}
	g.until("the call", func() bool { return g.calls.Load() == redisstore.OwnCalls+1 })
	for range redisstore.OwnCalls + 1 {
		g.open <- nil
	}
	for _, done := range all {
		if a := <-done; a.err != nil || a.results[0].Remaining != 9 {
			t.Errorf("%+v", a)
		}
	}
	g.landed(redisstore.OwnCalls + 1)
}

// Whoever gives up while others are being waited for is not charged; in a call that
// is on its way, the others do not notice.
func TestThoseWhoGiveUpASharedCall(t *testing.T) {
	g := newGate(t)
	g.load()
	own := g.busy()
	ctx, cancel := context.WithCancel(context.Background())
	late, cancelLate := context.WithCancel(context.Background())
	leaving := g.join(ctx, g.named("leaving", 1))
	cancel()
	g.until("one that has gone", func() bool { return redisstore.Sharing(g.store) == 0 })
	lateLeaving := append(leaving, g.join(late, g.named("late", 1))...)
	staying := g.join(context.Background(), g.named("staying", 1))
	g.open <- nil
	g.until("the shared call", func() bool { return g.calls.Load() == redisstore.OwnCalls+1 })
	cancelLate()
	for _, done := range lateLeaving {
		if a := <-done; !errors.Is(a.err, context.Canceled) {
			t.Errorf("%+v", a)
		}
	}
	for range redisstore.OwnCalls {
		g.open <- nil
	}
	for _, done := range append(own, staying...) {
		if a := <-done; a.err != nil {
			t.Error(a.err)
		}
	}
	g.open <- nil
	if a := <-g.take(context.Background(), g.named("leaving", 1)...); a.results[0].Remaining != 9 {
		t.Errorf("who gave up was charged: %+v", a)
	}
	g.landed(redisstore.OwnCalls + 2)
}

// A shared call that fails fails for all of them, and those after go on.
func TestErrorsReachAllWhoShareACall(t *testing.T) {
	g := newGate(t)
	g.load()
	own := g.busy()
	waiting := g.join(context.Background(), g.named("a", 1), g.named("b", 1))
	lost := errors.New("the connection is gone")
	g.open <- nil
	g.until("the shared call", func() bool { return g.calls.Load() == redisstore.OwnCalls+1 })
	for range redisstore.OwnCalls {
		g.open <- lost
	}
	failed := 0
	for _, done := range append(own, waiting...) {
		if a := <-done; errors.Is(a.err, lost) {
			failed++
		}
	}
	if failed != redisstore.OwnCalls-1+2 {
		t.Errorf("%d failed", failed)
	}
	g.open <- nil
	if a := <-g.take(context.Background(), g.named("a", 1)...); a.err != nil || a.results[0].Remaining != 9 {
		t.Errorf("who came after: %+v", a)
	}
}

// Callers of many keys at once take fewer calls than they are, use their checks for
// something else as soon as they have an answer or have given up, and exactly the
// limit passes for each key.
func TestManyCallersOfManyKeys(t *testing.T) {
	server := sharedServer(t)
	store, limit := open(t, urlOf(server)), limitOf(t, weir.PerDay(100))
	server.Do("config", "resetstat")
	var passed [40]atomic.Int64
	var callers sync.WaitGroup
	for i := range 128 {
		callers.Go(func() {
			checks, results := make([]weir.Check, 2), make([]weir.Result, 2)
			for n := range 50 {
				which := (i + n) % len(passed)
				for j, layer := range []string{"one", "two"} {
					checks[j] = weir.Check{Key: weir.Key{Layer: layer, Limit: "limit", Identity: fmt.Sprint(t.Name(), which)}, Limit: limit, Cost: 1}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+n%2*1_000_000)*100*time.Microsecond)
				if err := store.Take(ctx, checks, results); err == nil && results[0].Allowed && results[1].Allowed {
					passed[which].Add(1)
				}
				cancel()
			}
		})
	}
	callers.Wait()
	for i := range passed {
		if n := passed[i].Load(); n > 100 || n < 50 {
			t.Errorf("of 100 of key %d %d passed", i, n)
		}
	}
	if n := commandCalls(server, "evalsha"); n > 128*50/2 {
		t.Errorf("%d calls for %d takes", n, 128*50)
	}
}
