package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func testConcurrency(t *testing.T, newStore NewStore) {
	for _, p := range []struct {
		name string
		test func(*trial, weir.Algorithm)
	}{
		{"one key admits exactly the limit", testHotKey},
		{"costs", testHotKeyCosts},
		{"groups in opposite order", testOppositeOrder},
		{"groups of several identities", testManyIdentities},
		{"one refund of many", testOneRefundOfMany},
		{"takes and refunds", testTakesAndRefunds},
		{"everything at once", testEverythingAtOnce},
	} {
		t.Run(p.name, func(t *testing.T) { eachAlgorithm(t, newStore, p.test) })
	}
}

// together runs f(0) to f(n-1) at once and waits for them.
func (tr *trial) together(n int, f func(i int)) {
	tr.Helper()
	var ready, done sync.WaitGroup
	ready.Add(1)
	for i := range n {
		done.Go(func() {
			ready.Wait()
			f(i)
		})
	}
	ready.Done()
	finished := make(chan struct{})
	go func() { done.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(time.Minute):
		tr.Fatal("not done after a minute: a deadlock")
	}
}

// try is decide for goroutines other than the test's own.
func (tr *trial) try(checks ...weir.Check) weir.Decision {
	results := make([]weir.Result, len(checks))
	if err := tr.store.Take(context.Background(), checks, results); err != nil {
		tr.Error(err)
		clear(results) // which say nothing: what was charged has been given back
	}
	return weir.Decide(weir.NewID(), checks, results)
}

// Of four times 100 goroutines that take at one instant exactly the limit pass.
func testHotKey(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 150, a), identity("a")
	var admitted atomic.Int64
	tr.together(4*100, func(int) {
		if tr.try(weir.Check{Key: key, Limit: limit, Cost: 1}).Allowed {
			admitted.Add(1)
		}
	})
	if got := admitted.Load(); got != 150 {
		tr.Errorf("%d of 150 passed", got)
	}
	tr.wants(key, limit, 0, "afterwards")
}

// What passes of different costs is never above the limit and is what was
// charged; a peek in between charges nothing.
func testHotKeyCosts(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 200, a), identity("a")
	var charged atomic.Int64
	tr.together(200, func(i int) {
		c := weir.Check{Key: key, Limit: limit, Cost: int64(i % 5), Peek: i%7 == 0}
		if tr.try(c).Results[0].Charged {
			charged.Add(c.Cost)
		}
	})
	tr.wants(key, limit, 200-charged.Load(), "afterwards")
	if charged.Load() < 197 {
		tr.Errorf("%d of 200 taken, though 4 always came again", charged.Load())
	}
}

// Requests that take the same two keys of one identity in opposite order, all or
// nothing, end; what they took of both is the same, and exactly the tighter
// limit.
func testOppositeOrder(tr *trial, a weir.Algorithm) {
	key := func(limit string) weir.Key { return weir.Key{Layer: "order", Limit: limit, Identity: "a"} }
	tight, wide := perMinute(tr, 400, a), perMinute(tr, 600, a)
	var admitted atomic.Int64
	tr.together(100, func(i int) {
		// Several each: one is over before the next goroutine runs.
		for range 20 {
			group := &weir.Group{Charge: weir.Charging(i / 2 % 2)}
			checks := []weir.Check{
				{Key: key("x"), Limit: tight, Cost: 1, Group: group},
				{Key: key("y"), Limit: wide, Cost: 1, Group: group},
			}
			if i%2 == 1 {
				checks[0], checks[1] = checks[1], checks[0]
			}
			if tr.try(checks...).Allowed {
				admitted.Add(1)
			}
		}
	})
	if got := admitted.Load(); got != 400 {
		tr.Errorf("%d requests passed, want 400", got)
	}
	tr.wants(key("x"), tight, 0, "of x")
	tr.wants(key("y"), wide, 200, "of y")
}

// Of requests over several identities, in any order, never too much passes, and
// what was charged in the end is what was reported: nothing is lost between two
// keys, or given back twice.
func testManyIdentities(tr *trial, a weir.Algorithm) {
	limit := perMinute(tr, 30, a)
	var admitted [6]atomic.Int64
	tr.together(100, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 0))
		for range 5 {
			var checks []weir.Check
			for _, k := range r.Perm(6)[:3] {
				group := &weir.Group{Charge: weir.Charging(r.IntN(3))}
				checks = append(checks, weir.Check{Key: identity(fmt.Sprint(k)), Limit: limit, Cost: 1 + r.Int64N(2), Group: group})
			}
			d := tr.try(checks...)
			for j, result := range d.Results {
				if result.Charged {
					admitted[checks[j].Key.Identity[0]-'0'].Add(checks[j].Cost)
				}
			}
		}
	})
	for k := range admitted {
		charged := admitted[k].Load()
		if charged > 30 {
			tr.Errorf("%d of 30 of key %d passed", charged, k)
		}
		tr.wants(identity(fmt.Sprint(k)), limit, 30-charged, fmt.Sprintf("of key %d after %d", k, charged))
	}
}

// Of many who give back one decision exactly one does.
func testOneRefundOfMany(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 100, a), identity("a")
	tr.take(key, limit, 50)
	d := tr.takeForRefund(key, limit, 7)
	tr.take(key, limit, 20)
	var gave atomic.Int64
	tr.together(50, func(int) {
		if ok, err := tr.store.Refund(context.Background(), d.ID, d.Charges()); err != nil {
			tr.Error(err)
		} else if ok {
			gave.Add(1)
		}
	})
	if got := gave.Load(); got != 1 {
		tr.Errorf("given %d times", got)
	}
	tr.wants(key, limit, 30, "after it")
}

// At one instant, what is used is what was taken less what was given back.
func testTakesAndRefunds(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 40, a), identity("a")
	var used atomic.Int64
	tr.together(100, func(i int) {
		for range 5 {
			c := weir.Check{Key: key, Limit: limit, Cost: 1 + int64(i%3)}
			d := tr.try(c)
			if !d.Allowed {
				continue
			}
			used.Add(c.Cost)
			if i%2 == 0 {
				continue
			}
			gave, err := tr.store.Refund(context.Background(), d.ID, d.Charges())
			if err != nil || !gave {
				tr.Errorf("refund: %t, %v", gave, err)
			}
			used.Add(-c.Cost)
		}
	})
	tr.wants(key, limit, 40-used.Load(), "afterwards")
}

// Takes, peeks, refunds and resets of the same few keys, with time passing, end
// and leave every key between empty and full.
func testEverythingAtOnce(tr *trial, a weir.Algorithm) {
	limits := []*weir.Limit{perMinute(tr, 20, a), perMinute(tr, 10, a)}
	tr.together(40, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		for range 40 {
			checks := make([]weir.Check, 1+r.IntN(4))
			keys := r.Perm(5)
			for j := range checks {
				checks[j] = weir.Check{
					Key: identity(fmt.Sprint(keys[j])), Limit: limits[r.IntN(2)], Cost: r.Int64N(4), Peek: r.IntN(4) == 0,
					Group: &weir.Group{Charge: weir.Charging(r.IntN(3)), Shadow: r.IntN(4) == 0},
				}
			}
			d := tr.try(checks...)
			switch r.IntN(8) {
			case 0:
				tr.pass(time.Duration(r.Int64N(int64(10 * time.Second))))
			case 1, 2:
				if _, err := tr.store.Refund(context.Background(), d.ID, d.Charges()); err != nil {
					tr.Error(err)
				}
			case 3:
				if err := tr.store.Reset(context.Background(), []weir.Key{checks[0].Key}); err != nil {
					tr.Error(err)
				}
			}
		}
	})
	for k := range 5 {
		if left := tr.remaining(identity(fmt.Sprint(k)), limits[0]); left < 0 || left > 20 {
			tr.Errorf("%d of 20 remain of key %d", left, k)
		}
	}
	tr.pass(time.Hour)
	for k := range 5 {
		tr.wants(identity(fmt.Sprint(k)), limits[0], 20, "an hour later")
	}
}
