package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
)

// batch is how many decisions in memory are measured at once.
const batch = 64

var stateKinds = []string{weir.GCRA.String(), weir.SlidingCounter.String()}

func (b *bench) keysInMemory() turns.Contest {
	return points("keys-memory", stateKinds, b.keysMemory, func(kind string, n int) ([]turns.Figure, error) {
		ids, l := identitiesOf(n), lasting(algorithm(kind))
		before := heap()
		store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 2 * n})
		defer store.Close()
		if err := ids.fillOneByOne(store, l); err != nil {
			return nil, err
		}
		if err := assertHeld(store, n); err != nil {
			return nil, err
		}
		bytes := heap() - before
		pause := collect()
		serial, err := b.loadTwice(1, batch, ids.randomly(store, l, 1, true))
		if err != nil {
			return nil, err
		}
		parallel, err := b.loadTwice(runtime.GOMAXPROCS(0), batch, ids.randomly(store, l, 1, true))
		return []turns.Figure{
			{Value: serial.cpuNanos(), Unit: "cpu-ns"},
			{Value: parallel.PerSecond(), Unit: "decisions/s"},
			{Value: parallel.cpuNanos(), Unit: "all-cores-cpu-ns"},
			{Value: float64(bytes) / float64(n), Unit: "bytes"},
			{Value: float64(pause.Microseconds()) / 1000, Unit: "gc-ms"},
		}, err
	})
}

// assertHeld is set-up: a store holds so many keys. One in some ten thousand may have
// found no place when the table grew.
func assertHeld(s *weir.MemoryStore, n int) error {
	if got := s.Len(); got > n || got < n-n/1000 {
		return fmt.Errorf("set-up: %d keys are held, not %d", got, n)
	}
	return nil
}

// fillOneByOne is how keys come: the table grows by itself.
func (ids identities) fillOneByOne(s weir.Store, l *weir.Limit) error {
	checks, results := request(l, 1), make([]weir.Result, 1)
	for i := range ids.n {
		if err := ids.take(s, i, checks, results, true); err != nil {
			return err
		}
	}
	return nil
}

// loadTwice warms up before it measures.
func (b *bench) loadTwice(callers, batch int, ask asker) (loaded, error) {
	if _, err := load(callers, batch, b.warm, ask); err != nil {
		return loaded{}, err
	}
	return load(callers, batch, b.turn, ask)
}

// heap is the memory in use, without garbage.
func heap() int64 {
	collect()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// collect is how long a whole garbage collection takes. The first also frees what
// finalizers and pools held.
func collect() time.Duration {
	runtime.GC()
	begun := time.Now()
	runtime.GC()
	return time.Since(begun)
}

func (b *bench) layersInMemory() turns.Contest {
	ids := identitiesOf(b.spread / 10)
	return points("layers-memory", stateKinds, b.layers, func(kind string, n int) ([]turns.Figure, error) {
		l := lasting(algorithm(kind))
		store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 4 * n * ids.n})
		defer store.Close()
		if err := ids.fill(store, l, n); err != nil {
			return nil, err
		}
		if err := assertHeld(store, n*ids.n); err != nil {
			return nil, err
		}
		done, err := b.loadTwice(1, batch, ids.randomly(store, l, n, true))
		return []turns.Figure{{Value: done.cpuNanos(), Unit: "cpu-ns"}, {Value: done.PerSecond(), Unit: "decisions/s"}}, err
	})
}

func (b *bench) callersInMemory() turns.Contest {
	ids := identitiesOf(b.spread)
	return points("callers-memory", stateKinds, b.callers, func(kind string, n int) ([]turns.Figure, error) {
		l := lasting(algorithm(kind))
		store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 4 * ids.n})
		defer store.Close()
		if err := ids.fillOneByOne(store, l); err != nil {
			return nil, err
		}
		if err := assertHeld(store, ids.n); err != nil {
			return nil, err
		}
		done, err := b.loadTwice(n, batch, ids.randomly(store, l, 1, true))
		return []turns.Figure{{Value: done.cpuNanos(), Unit: "cpu-ns"}, {Value: done.PerSecond(), Unit: "decisions/s"}}, err
	})
}
