package redisstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// BenchmarkHotKeyRefused is of the same, for a key that has no room.
func BenchmarkHotKeyRefused(b *testing.B) {
	limit := limitOf(b, weir.PerDay(1))
	for _, callers := range []int{1, 16, 128, 256} {
		for _, way := range []struct {
			name  string
			store func(*bench) *redisstore.Store
		}{
			{"pool", func(b *bench) *redisstore.Store { return b.pooled(callers) }},
			{"pipeline", func(b *bench) *redisstore.Store { return b.store }},
			{"together", func(b *bench) *redisstore.Store { return b.with() }},
			{"deny cache", func(b *bench) *redisstore.Store {
				return b.with(redisstore.WithoutCoalescing(), redisstore.WithDenyCache(time.Second))
			}},
			{"both", func(b *bench) *redisstore.Store { return b.with(redisstore.WithDenyCache(time.Second)) }},
		} {
			b.Run(fmt.Sprintf("callers=%d/%s", callers, way.name), func(b *testing.B) {
				bench := newBench(b)
				bench.store = way.store(bench)
				take(b, bench.store, key("hot"), limit, 1)
				before := bench.cpu()
				bench.run(callers, "", 1, bench.decide(limit, false, hot))
				b.ReportMetric((bench.cpu()-before)*1e6/float64(b.N), "server-cpu-µs/op")
			})
		}
	}
}

// BenchmarkHotKey is of many callers for one key: each with a call and a connection
// of its own, as clients with a pool do it; in one pipeline; and asked together.
func BenchmarkHotKey(b *testing.B) {
	limit := limitOf(b, weir.PerDay(1<<40))
	for _, callers := range []int{1, 16, 128, 256} {
		for _, way := range []struct {
			name  string
			store func(*bench) *redisstore.Store
		}{
			{"pool", func(b *bench) *redisstore.Store { return b.pooled(callers) }},
			{"pipeline", func(b *bench) *redisstore.Store { return b.store }},
			{"together", func(b *bench) *redisstore.Store { return b.with() }},
		} {
			b.Run(fmt.Sprintf("callers=%d/%s", callers, way.name), func(b *testing.B) {
				bench := newBench(b)
				bench.store = way.store(bench)
				before := bench.cpu()
				bench.run(callers, "", 1, bench.decide(limit, true, hot))
				b.ReportMetric((bench.cpu()-before)*1e6/float64(b.N), "server-cpu-µs/op")
			})
		}
	}
}

// cpu is how many seconds the server has computed.
func (b *bench) cpu() (seconds float64) {
	for line := range strings.Lines(b.server.Do("info", "cpu")) {
		var part float64
		for _, kind := range []string{"used_cpu_sys", "used_cpu_user"} {
			if n, _ := fmt.Sscanf(line, kind+":%g", &part); n == 1 {
				seconds += part
			}
		}
	}
	return seconds
}

func (b *bench) with(o ...redisstore.Option) *redisstore.Store {
	b.Helper()
	store, err := redisstore.New(b.client, o...)
	if err != nil {
		b.Fatal(err)
	}
	return store
}

// pooled has every call take a connection for itself.
func (b *bench) pooled(size int) *redisstore.Store {
	b.Helper()
	free := make(chan *redistest.Conn, size)
	for range size {
		conn, err := redistest.Dial(b.server.Addr)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		free <- conn
	}
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(_ context.Context, args ...any) (any, error) {
		conn := <-free
		defer func() { free <- conn }()
		return conn.Do(words(args)...)
	}), redisstore.WithoutCoalescing())
	if err != nil {
		b.Fatal(err)
	}
	return store
}
