package redisstore_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// bench is a server, and one client that everything goes through.
type bench struct {
	*testing.B
	server *redistest.Server
	client rueidis.Client
	store  *redisstore.Store
}

func newBench(b *testing.B) *bench {
	b.Helper()
	server := redistest.Start(b)
	client, err := rueidis.NewClient(redisstore.ClientOptions(server.Addr))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	store, err := redisstore.New(client, redisstore.WithoutCoalescing()) // every operation is a call
	if err != nil {
		b.Fatal(err)
	}
	return &bench{b, server, client, store}
}

// run makes b.N operations by so many callers, each with numbers of its own, and
// reports operations a second and what one cost the server: by its count of a
// command that each operation gives it, if there is one.
func (b *bench) run(callers int, command string, perOp int, op func(r *rand.Rand) error) {
	b.Helper()
	b.server.Do("config", "resetstat")
	var left atomic.Int64
	left.Store(int64(b.N))
	var running sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	start := time.Now()
	for c := range callers {
		running.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 0))
			for left.Add(-1) >= 0 {
				if err := op(r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "ops/s")
	if command == "" {
		return
	}
	if calls := commandCalls(b.server, command); calls < b.N*perOp {
		b.Errorf("set-up: the server counts %d calls of %s for %d operations", calls, command, b.N)
	}
	b.ReportMetric(usecPerCall(b.server, command)*float64(perOp), "server-µs/op")
}

// decide is an operation that takes of a key, and expects to be admitted or not.
func (b *bench) decide(limit *weir.Limit, admitted bool, identity func(*rand.Rand) string) func(*rand.Rand) error {
	return func(r *rand.Rand) error {
		var results [1]weir.Result
		err := b.store.Take(context.Background(), []weir.Check{{Key: key(identity(r)), Limit: limit, Cost: 1}}, results[:])
		if err == nil && results[0].Allowed != admitted {
			err = fmt.Errorf("set-up: %+v", results[0])
		}
		return err
	}
}

func hot(*rand.Rand) string { return "hot" }

const manyKeys = 100_000

func oneOfMany(r *rand.Rand) string { return "user:" + strconv.Itoa(r.IntN(manyKeys)) }

// BenchmarkDecisions is of GCRA, beside the least that a script and a command cost
// through the same client.
func BenchmarkDecisions(b *testing.B) {
	for _, callers := range []int{1, 16, 128} {
		run := func(name, command string, op func(*bench) func(*rand.Rand) error) {
			b.Run(fmt.Sprintf("callers=%d/%s", callers, name), func(b *testing.B) {
				bench := newBench(b)
				bench.run(callers, command, 1, op(bench))
			})
		}
		wide := limitOf(b, weir.PerDay(1<<40))
		run("hot key", "evalsha", func(b *bench) func(*rand.Rand) error { return b.decide(wide, true, hot) })
		run("hot key refused", "evalsha", func(b *bench) func(*rand.Rand) error {
			tight := limitOf(b, weir.PerDay(1))
			take(b, b.store, key("hot"), tight, 1)
			return b.decide(tight, false, hot)
		})
		run("100000 keys", "evalsha", func(b *bench) func(*rand.Rand) error {
			lasting := limitOf(b, weir.PerDay(1_000_000)) // of which the 1000 that fill takes live for 86 s
			b.fill(lasting)
			return b.decide(lasting, true, oneOfMany)
		})
		run("bare EVALSHA", "evalsha", (*bench).bareScript)
		run("bare INCR", "incr", (*bench).bareIncr)
	}
}

// fill makes all keys, and asserts that they are as many as said.
func (b *bench) fill(limit *weir.Limit) {
	b.Helper()
	var callers sync.WaitGroup
	for c := range 100 {
		callers.Go(func() {
			for i := c; i < manyKeys; i += 100 {
				take(b, b.store, key("user:"+strconv.Itoa(i)), limit, 1000) // outlives the benchmark
			}
		})
	}
	callers.Wait()
	if n := b.server.Do("dbsize"); n != strconv.Itoa(manyKeys) {
		b.Fatalf("set-up: %s keys", n)
	}
}

func (b *bench) bareScript() func(*rand.Rand) error {
	sum := sha1.Sum([]byte("return 1"))
	name := hex.EncodeToString(sum[:])
	b.server.Do("script", "load", "return 1")
	return func(*rand.Rand) error {
		return b.client.Do(context.Background(), b.client.B().Evalsha().Sha1(name).Numkeys(1).Key("hot").Build()).Error()
	}
}

func (b *bench) bareIncr() func(*rand.Rand) error {
	return func(*rand.Rand) error {
		return b.client.Do(context.Background(), b.client.B().Incr().Key("hot").Build()).Error()
	}
}

// BenchmarkAlgorithms is of each on a hot key, admitted and refused.
func BenchmarkAlgorithms(b *testing.B) {
	for _, a := range weir.Algorithms() {
		b.Run(a.String()+"/admitted", func(b *testing.B) {
			bench := newBench(b)
			rate := weir.PerSecond(1 << 31)
			if a == weir.SlidingLog {
				rate = weir.Per(1<<20, time.Millisecond) // its entries leave again
			}
			bench.run(128, "evalsha", 1, bench.decide(limitOf(b, rate, weir.WithAlgorithm(a)), true, hot))
		})
		b.Run(a.String()+"/refused", func(b *testing.B) {
			bench := newBench(b)
			limit := limitOf(b, weir.PerDay(1000), weir.WithAlgorithm(a))
			take(b, bench.store, key("hot"), limit, 1000)
			bench.run(128, "evalsha", 1, bench.decide(limit, false, hot))
		})
	}
}

// BenchmarkLayers is of a request of three layers, in one call and in three.
func BenchmarkLayers(b *testing.B) {
	checks := func(b *bench) []weir.Check {
		var checks []weir.Check
		for i, layer := range []string{"edge", "gateway", "endpoint"} {
			k := weir.Key{Layer: layer, Limit: "default", Identity: "hot"}
			limit := limitOf(b, weir.PerMinute(1<<30), weir.WithAlgorithm([]weir.Algorithm{weir.SlidingCounter, weir.GCRA, weir.FixedWindow}[i]))
			checks = append(checks, weir.Check{Key: k, Limit: limit, Cost: 1, Group: &weir.Group{}})
		}
		return checks
	}
	b.Run("one call", func(b *testing.B) {
		bench := newBench(b)
		request := checks(bench)
		bench.run(128, "evalsha", 1, func(*rand.Rand) error {
			return bench.store.Take(context.Background(), request, make([]weir.Result, 3))
		})
	})
	b.Run("three calls", func(b *testing.B) {
		bench := newBench(b)
		request := checks(bench)
		bench.run(128, "evalsha", 3, func(*rand.Rand) error {
			for i := range request {
				if err := bench.store.Take(context.Background(), request[i:i+1], make([]weir.Result, 1)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
