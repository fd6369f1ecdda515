package memory

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/algorithm"
)

// Deciding and charging are one step, for all keys of a request. The clock takes
// its time, under the locks: so others wait for these for long enough that whoever
// let go of them in between would not get them back first.
func TestDecidingAndChargingAreOneStep(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := New(1024, func() int64 {
			for began := time.Now(); time.Since(began) < 200*time.Microsecond; {
				runtime.Gosched()
			}
			return start
		})
		table.Close()
		limit := compile(t, kind, 100, minute)
		var admitted atomic.Int64
		var done sync.WaitGroup
		for g := range 16 {
			done.Go(func() {
				for range 12 {
					r := Request{Ops: []Op{{Key: key(1), Limit: limit, Cost: 1}, {Key: key(2), Limit: limit, Cost: 1}}}
					if g%2 == 1 {
						r.Ops[0].Key, r.Ops[1].Key = key(2), key(1)
					}
					table.Take(&r)
					if r.Ops[0].Charged && r.Ops[1].Charged {
						admitted.Add(1)
					}
				}
			})
		}
		done.Wait()
		if got := admitted.Load(); got != 100 {
			t.Errorf("%d of 100 passed", got)
		}
	})
}
