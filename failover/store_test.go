package failover_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
	"github.com/weirhq/weir/storetest"
)

// In front of a store that answers nobody notices that it is there.
func TestContract(t *testing.T) {
	storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
		shared := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock, MaxKeys: 1 << 16})
		store := failover.New(shared, failover.Options{Budget: time.Minute, MaxKeys: 1 << 16})
		t.Cleanup(func() { shared.Close(); store.Close() })
		return store
	})
}

// Callers by the dozen of a store that comes and goes: everybody gets an answer
// that makes sense, and in the end the store is asked again.
func TestStoreThatComesAndGoes(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		limit := perHour(tr, 1000)
		var callers sync.WaitGroup
		for c := range 40 {
			callers.Go(func() {
				r := rand.New(rand.NewPCG(uint64(c), 0))
				for range 200 {
					<-time.After(time.Duration(r.IntN(50)) * time.Millisecond)
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+r.IntN(40))*time.Millisecond)
					checks := []weir.Check{{Key: key(fmt.Sprint(r.IntN(5))), Limit: limit, Cost: r.Int64N(3), Group: &weir.Group{OnError: weir.OnError(r.IntN(3))}}}
					results := make([]weir.Result, 1)
					err := tr.store.Take(ctx, checks, results)
					if err == nil && (results[0].Remaining < 0 || results[0].Remaining > results[0].Limit) {
						tr.Errorf("%+v", results[0])
					}
					if err == nil && results[0].Charged {
						tr.store.Refund(ctx, weir.NewID(), []weir.Charge{weir.Charged(checks[0], results[0])})
					}
					tr.store.Stats()
					cancel()
				}
			})
		}
		for range 20 {
			tr.primary.is(silent)
			tr.pass(100 * time.Millisecond)
			tr.primary.is(fails)
			tr.pass(50 * time.Millisecond)
			tr.primary.is(nil)
			tr.pass(200 * time.Millisecond)
		}
		callers.Wait()
		tr.pass(2 * time.Second)
		if r := tr.take(key("a"), limit, 1); r.Degraded {
			tr.Errorf("%+v, %+v", r, tr.store.Stats())
		}
	})
}
