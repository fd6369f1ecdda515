package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/front/resp"
	"github.com/weirhq/weir/internal/redistest"
)

// BenchmarkRESP is CL.THROTTLE over a million keys in memory, from 50 connections
// with 1 and with 32 commands in a pipeline, beside a server of the same kind that
// reads the same commands and decides nothing. Both are asked in turn, by clients
// on the same machine; of-no-op is the one's rate as a part of the other's.
func BenchmarkRESP(b *testing.B) {
	const keys = 1_000_000
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 2 * keys})
	defer store.Close()
	engine := newEngine(memoryBackend(store), admin.NewMetrics(), mustLoad(b, Options{}))
	log := slog.New(slog.DiscardHandler)
	for key := 0; key < keys; key += 1000 {
		fillKeys(b, engine, key, key+1000)
	}
	if store.Len() < keys*99/100 { // one may have made room for another
		b.Fatalf("set-up: %d keys", store.Len())
	}
	askBoth(b, listenOn(b, newRESPServer(&Options{}, engine, log).Serve), keys)
}

// BenchmarkRESPOnRedis is the same over a hundred thousand keys on a real Redis.
func BenchmarkRESPOnRedis(b *testing.B) {
	const keys = 100_000
	log, metrics := slog.New(slog.DiscardHandler), admin.NewMetrics()
	l := mustLoad(b, Options{})
	l.config.Budget = patience // nothing is decided elsewhere
	store, err := openBackend(b.Context(), "redis://"+redistest.Start(b).Addr, l.config, metrics, nil, log)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.close)
	engine := newEngine(store, metrics, l)
	askBoth(b, listenOn(b, newRESPServer(&Options{}, engine, log).Serve), keys)
	if s := store.stats(); s.Failures > 0 {
		b.Errorf("set-up: %d calls failed", s.Failures)
	}
}

// askBoth asks a real server and one that does nothing.
func askBoth(b *testing.B, real string, keys int) {
	none := listenOn(b, serveNothing)
	for _, pipeline := range []int{1, 32} {
		b.Run(fmt.Sprintf("pipeline %d", pipeline), func(b *testing.B) {
			rounds := 20 + 400/pipeline
			weir, noop := dialMany(b, real, pipeline, keys), dialMany(b, none, pipeline, keys)
			var commands int
			var took, nothing time.Duration
			for b.Loop() {
				took += askAll(b, weir, rounds)
				nothing += askAll(b, noop, rounds)
				commands += len(weir) * rounds * pipeline
			}
			b.ReportMetric(float64(commands)/took.Seconds(), "weir/s")
			b.ReportMetric(float64(commands)/nothing.Seconds(), "no-op/s")
			b.ReportMetric(nothing.Seconds()/took.Seconds(), "of-no-op")
		})
	}
}

const (
	benchBurst  = 1_000_000 // which nobody uses up
	benchPeriod = 3600      // s: a key lives for an hour after one call
)

func fillKeys(b *testing.B, e *Engine, from, to int) {
	limit, err := weir.NewLimit(weir.PerHour(1), weir.WithBurst(benchBurst+1))
	if err != nil {
		b.Fatal(err)
	}
	var checks []weir.Check
	for key := from; key < to; key++ {
		checks = append(checks, weir.Check{Key: weir.Key{Layer: "adhoc", Limit: "throttle", Identity: benchKey(key)}, Limit: limit, Cost: 1})
	}
	if _, err := e.DecideEach(context.Background(), checks, make([]weir.Result, len(checks))); err != nil {
		b.Fatal(err)
	}
}

func benchKey(i int) string { return fmt.Sprintf("user:%08d", i) }

func listenOn(b *testing.B, serve func(net.Listener) error) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- serve(l) }()
	b.Cleanup(func() {
		l.Close()
		if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, resp.ErrClosed) {
			b.Error(err)
		}
	})
	return l.Addr().String()
}

// serveNothing is a goroutine for each connection on bufio, as the front is: it
// reads each word of a command and answers the same five integers.
func serveNothing(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			r, w := bufio.NewReaderSize(conn, 8<<10), bufio.NewWriterSize(conn, 8<<10)
			for {
				if err := readCommand(r); err != nil {
					return
				}
				w.WriteString("*5\r\n:0\r\n:1000001\r\n:1000000\r\n:-1\r\n:3600\r\n")
				if r.Buffered() == 0 && w.Flush() != nil {
					return
				}
			}
		}()
	}
}

func readCommand(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	words, _ := strconv.Atoi(string(line[1 : len(line)-2]))
	for range words {
		if line, err = r.ReadSlice('\n'); err != nil {
			return err
		}
		n, _ := strconv.Atoi(string(line[1 : len(line)-2]))
		if _, err := r.Discard(n + 2); err != nil {
			return err
		}
	}
	return nil
}

// asker is a client with pipelines that are written ahead.
type asker struct {
	conn      net.Conn
	r         *bufio.Reader
	pipelines [][]byte
	pipeline  int
}

func dialMany(b *testing.B, addr string, pipeline, keys int) (all []*asker) {
	for range 50 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		a := &asker{conn: conn, r: bufio.NewReaderSize(conn, 8<<10), pipeline: pipeline}
		for range 1 + 1000/pipeline {
			var text strings.Builder
			for range pipeline {
				fmt.Fprintf(&text, "*5\r\n$11\r\nCL.THROTTLE\r\n$13\r\n%s\r\n$7\r\n%d\r\n$1\r\n1\r\n$4\r\n%d\r\n", benchKey(rand.IntN(keys)), benchBurst, benchPeriod)
			}
			a.pipelines = append(a.pipelines, []byte(text.String()))
		}
		all = append(all, a)
	}
	return all
}

func askAll(b *testing.B, all []*asker, rounds int) time.Duration {
	var group sync.WaitGroup
	start := time.Now()
	for _, a := range all {
		group.Go(func() {
			for i := range rounds {
				if err := a.ask(a.pipelines[(i*17)%len(a.pipelines)]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	return time.Since(start)
}

// ask reads as many replies as it sends commands, all of them admissions.
func (a *asker) ask(pipeline []byte) error {
	if _, err := a.conn.Write(pipeline); err != nil {
		return err
	}
	for range a.pipeline {
		for line := range 6 {
			text, err := a.r.ReadSlice('\n')
			if err != nil {
				return err
			}
			if line == 1 && string(text) != ":0\r\n" {
				return fmt.Errorf("refused, or wrong: %q", text)
			}
		}
	}
	return nil
}
