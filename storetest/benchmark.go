package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// BenchmarkTake measures one decision, by the store's own clock, from all cores
// at once: of one hot key by each algorithm, of keys at random out of a million
// (10,000 under -short), and of a request of three layers.
//
//	func BenchmarkTake(b *testing.B) { storetest.BenchmarkTake(b, newStore) }
func BenchmarkTake(b *testing.B, newStore NewStore) {
	for _, a := range weir.Algorithms() {
		b.Run("hot key/"+a.String(), func(b *testing.B) { benchmarkHotKey(b, newStore(b, nil), a) })
	}
	for _, a := range weir.Algorithms() {
		b.Run("random keys/"+a.String(), func(b *testing.B) { benchmarkRandomKeys(b, newStore(b, nil), a) })
	}
	b.Run("three layers", func(b *testing.B) { benchmarkLayers(b, newStore(b, nil)) })
}

// benchmarkHotKey is of a limit of a million a second, which a fast store exceeds:
// both admissions and refusals are in it, and their share is reported.
func benchmarkHotKey(b *testing.B, store weir.Store, a weir.Algorithm) {
	check := weir.Check{Key: identity("hot"), Limit: limitOf(b, weir.Per(1000, time.Millisecond), weir.WithAlgorithm(a)), Cost: 1}
	run(b, store, func(_ *rand.Rand, checks []weir.Check) []weir.Check { return append(checks[:0], check) })
}

func benchmarkRandomKeys(b *testing.B, store weir.Store, a weir.Algorithm) {
	n := 1 << 20
	if testing.Short() {
		n = 10_000
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("user:%08d", i)
	}
	limit := limitOf(b, weir.PerHour(1000), weir.WithAlgorithm(a))
	fill(b, store, limit, names)
	run(b, store, func(r *rand.Rand, checks []weir.Check) []weir.Check {
		return append(checks[:0], weir.Check{Key: identity(names[r.IntN(n)]), Limit: limit, Cost: 1})
	})
}

// fill makes every key, and asserts that they are as many as said: a benchmark of
// a million keys that hits one measures something else.
func fill(b *testing.B, store weir.Store, limit *weir.Limit, names []string) {
	b.Helper()
	var results [1]weir.Result
	for _, name := range names {
		if err := store.Take(context.Background(), []weir.Check{{Key: identity(name), Limit: limit, Cost: 1}}, results[:]); err != nil || !results[0].Charged {
			b.Fatalf("set-up: %s: %+v, %v", name, results[0], err)
		}
	}
	counter, ok := store.(interface{ Len() int })
	if ok && counter.Len() < len(names)*99/100 {
		b.Fatalf("set-up: %d keys, want %d", counter.Len(), len(names))
	}
}

// benchmarkLayers is the default policy's request: by address, by caller, by
// caller and route.
func benchmarkLayers(b *testing.B, store weir.Store) {
	var groups [3]weir.Group
	limits := [3]*weir.Limit{perMinute(b, 1<<30, weir.SlidingCounter), perMinute(b, 1<<30, weir.GCRA), perMinute(b, 1<<30, weir.FixedWindow)}
	run(b, store, func(r *rand.Rand, checks []weir.Check) []weir.Check {
		who := []string{"ip:203.0.113.7", "key:a1", "key:b2", "key:c3"}[r.IntN(4)]
		checks = checks[:0]
		for i, layer := range []string{"edge", "gateway", "endpoint"} {
			key := weir.Key{Layer: layer, Limit: "default", Identity: who}
			checks = append(checks, weir.Check{Key: key, Limit: limits[i], Cost: 1, Group: &groups[i]})
		}
		return checks
	})
}

// run takes next's requests from all cores, and reports the share refused.
func run(b *testing.B, store weir.Store, next func(*rand.Rand, []weir.Check) []weir.Check) {
	b.Helper()
	var refused, seed atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(uint64(seed.Add(1)), 0))
		checks := make([]weir.Check, 0, 4)
		results := make([]weir.Result, 4)
		var no int64
		for pb.Next() {
			checks = next(r, checks)
			if err := store.Take(context.Background(), checks, results); err != nil {
				b.Error(err)
				return
			}
			for i := range checks {
				if !results[i].Allowed {
					no++
					break
				}
			}
		}
		refused.Add(no)
	})
	b.ReportMetric(float64(refused.Load())/float64(b.N), "refused/op")
}
