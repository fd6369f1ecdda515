package weir_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

const benchKeys = 1 << 14

// BenchmarkDecision is one decision on one core, over keys in turn, beside what
// any limiter by key must do at least: look the key up in a bare map and read
// the clock. Compare the two of one run; the number alone says more of the
// machine.
func BenchmarkDecision(b *testing.B) {
	keys := make([]string, benchKeys)
	for i := range keys {
		keys[i] = fmt.Sprintf("user:%08d", i)
	}
	b.Run("floor/map and clock", func(b *testing.B) { benchmarkFloor(b, keys) })
	for _, a := range weir.Algorithms() {
		b.Run(a.String()+"/admitted", func(b *testing.B) { benchmarkAllow(b, keys, weir.PerHour(1<<31), a, 0) })
		b.Run(a.String()+"/refused", func(b *testing.B) { benchmarkAllow(b, keys, weir.Per(1, 400*24*time.Hour), a, 1) })
	}
	b.Run("three layers", func(b *testing.B) { benchmarkLayers(b, keys) })
}

var sink int64

func benchmarkFloor(b *testing.B, keys []string) {
	states := make(map[string]int64, len(keys))
	for i, key := range keys {
		states[key] = int64(i)
	}
	if len(states) != benchKeys {
		b.Fatalf("set-up: %d distinct keys", len(states))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		sink += states[keys[i%benchKeys]] + time.Now().UnixMicro()
	}
}

// benchmarkAllow first sees that all keys are there and that each call is
// answered as the benchmark says.
func benchmarkAllow(b *testing.B, keys []string, rate weir.Rate, a weir.Algorithm, refused float64) {
	ctx := context.Background()
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 4 * benchKeys})
	defer store.Close()
	limiter, err := weir.New(rate, weir.WithAlgorithm(a), weir.WithStore(store))
	if err != nil {
		b.Fatal(err)
	}
	for _, key := range keys {
		if r, err := limiter.Allow(ctx, key); err != nil || !r.Allowed {
			b.Fatalf("set-up: %s: %+v, %v", key, r, err)
		}
	}
	if store.Len() != benchKeys {
		b.Fatalf("set-up: %d keys", store.Len())
	}
	no := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r, err := limiter.Allow(ctx, keys[i%benchKeys])
		if err != nil {
			b.Fatal(err)
		}
		if !r.Allowed {
			no++
		}
	}
	if share := float64(no) / float64(b.N); share != refused {
		b.Fatalf("%.2f of the calls were refused, not %.2f", share, refused)
	}
}

// benchmarkLayers is the request of the default policy: three layers, each with
// a sliding counter, by address, by caller, and by caller and route.
func benchmarkLayers(b *testing.B, keys []string) {
	ctx := context.Background()
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 12 * benchKeys})
	defer store.Close()
	limit, err := weir.NewLimit(weir.PerHour(1<<31), weir.WithAlgorithm(weir.SlidingCounter))
	if err != nil {
		b.Fatal(err)
	}
	checks, results := make([]weir.Check, 3), make([]weir.Result, 3)
	for i, layer := range []string{"edge", "gateway", "endpoint"} {
		checks[i] = weir.Check{Key: weir.Key{Layer: layer, Limit: "default"}, Limit: limit, Cost: 1, Group: &weir.Group{}}
	}
	take := func(i int) {
		for c := range checks {
			checks[c].Key.Identity = keys[i%benchKeys]
		}
		if err := store.Take(ctx, checks, results); err != nil || !results[2].Charged {
			b.Fatalf("%+v, %v", results, err)
		}
	}
	for i := range benchKeys {
		take(i)
	}
	if store.Len() != 3*benchKeys {
		b.Fatalf("set-up: %d keys", store.Len())
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		take(i)
	}
}

// BenchmarkEach is a pipeline of 32 calls about a million keys at random, for each call.
func BenchmarkEach(b *testing.B) {
	const keys, pipeline = 1_000_000, 32
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 4 * keys})
	defer store.Close()
	limit, err := weir.NewLimit(weir.PerHour(1), weir.WithBurst(1_000_000))
	if err != nil {
		b.Fatal(err)
	}
	checks, results := make([]weir.Check, keys), make([]weir.Result, pipeline)
	for i := range checks {
		checks[i] = weir.Check{Key: weir.Key{Layer: "bench", Limit: "each", Identity: fmt.Sprint("user:", i)}, Limit: limit, Cost: 1}
	}
	rand.Shuffle(keys, func(i, j int) { checks[i], checks[j] = checks[j], checks[i] })
	at := 0
	next := func() {
		if n, err := weir.TakeEach(b.Context(), store, checks[at:at+pipeline], results); n != pipeline {
			b.Fatal(err)
		}
		at = (at + pipeline) % keys
	}
	for range keys / pipeline {
		next()
	}
	if store.Len() < keys*99/100 {
		b.Fatalf("set-up: %d keys", store.Len())
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N / pipeline {
		next()
	}
}
