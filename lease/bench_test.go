package lease_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/lease"
	"github.com/weirhq/weir/redisstore"
)

// BenchmarkHotKey is of many callers for one key that has room: by the store, which
// has those who come together share a call, and with leases of 1%.
func BenchmarkHotKey(b *testing.B) {
	limit := limitOf(b, weir.PerSecond(20_000_000), weir.WithLease(1))
	for _, callers := range []int{1, 16, 128} {
		for _, leased := range []bool{false, true} {
			b.Run(fmt.Sprintf("callers=%d/leased=%v", callers, leased), func(b *testing.B) {
				shared, err := redisstore.Open("redis://" + redistest.Start(b).Addr)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { shared.Close() })
				counted := &counting{Store: shared}
				var store weir.Store = counted
				if leased {
					leases := lease.New(counted, lease.Options{})
					b.Cleanup(func() { leases.Close() })
					store = leases
				}
				run(b, callers, store, limit)
				b.ReportMetric(float64(counted.takes.Load())/float64(b.N), "takes/op")
			})
		}
	}
}

func run(b *testing.B, callers int, store weir.Store, limit *weir.Limit) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	var running sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	start := time.Now()
	for range callers {
		running.Go(func() {
			checks, results := []weir.Check{{Key: key("hot"), Limit: limit, Cost: 1}}, make([]weir.Result, 1)
			for left.Add(-1) >= 0 {
				if err := store.Take(context.Background(), checks, results); err != nil || !results[0].Allowed {
					b.Errorf("set-up: %+v, %v", results[0], err)
					return
				}
			}
		})
	}
	running.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "ops/s")
}
