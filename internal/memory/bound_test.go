package memory

import (
	"sync"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// However many keys come, a table holds no more than it was told, and most of
// that number.
func TestBoundOnKeys(t *testing.T) {
	for _, maxKeys := range []int{1, 2, 3, 63, 64, 127, 128, 1000, 20_000} {
		table := newTable(t, maxKeys)
		limit := compile(t, algorithm.GCRA, 10, minute)
		for n := range 3*maxKeys + 10 {
			table.take(key(n), limit, 1)
			if n%97 == 0 && table.Len() > maxKeys {
				t.Fatalf("%d keys in a table of %d", table.Len(), maxKeys)
			}
		}
		if got := table.Len(); got > maxKeys || got < maxKeys*9/10 {
			t.Errorf("%d keys in a table of %d", got, maxKeys)
		}
	}
}

// Not even for a moment: under many at once, of one key and of several, no shard
// is ever seen above its bound.
func TestBoundHoldsAtEveryMoment(t *testing.T) {
	table := newTable(t, 256)
	limit := compile(t, algorithm.SlidingLog, 10, minute)
	var takers, watcher sync.WaitGroup
	done := make(chan struct{})
	watcher.Go(func() {
		for {
			checkInvariants(t, table.Table)
			if got := table.Len(); got > 256 {
				t.Errorf("%d keys in a table of 256", got)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for g := range 4 {
		takers.Go(func() {
			var r Request
			for n := range 2000 {
				r.Ops = r.Ops[:0]
				for i := range 1 + n%3 {
					r.Ops = append(r.Ops, Op{Key: key(g*10_000 + n*3 + i), Limit: limit, Cost: 1})
				}
				table.Take(&r)
			}
		})
	}
	takers.Wait()
	close(done)
	watcher.Wait()
}

// A key that says nothing any more makes room before any that does; of those
// that do, the one that has used the least of its limit.
func TestWhoMakesRoom(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 4)
		limit, daily := compile(t, kind, 100, minute), compile(t, kind, 100, 24*60*minute)
		table.take(key(0), daily, 50) // is empty last
		table.take(key(1), limit, 1)
		table.take(key(2), limit, 100)
		table.take(key(3), limit, 30)
		next := 100
		for _, loses := range []int{1, 3, 0} {
			table.take(key(next), limit, 100)
			for n := range 4 {
				if table.holds(key(n)) && n == loses {
					t.Errorf("key %d is still there after key %d came", n, next)
				}
			}
			if table.Len() != 4 || !table.holds(key(next)) {
				t.Errorf("key %d is not in; %d keys", next, table.Len())
			}
			next++
		}
		table.now.Add(3 * minute)
		table.take(key(200), daily, 1)
		table.take(key(201), daily, 1)
		table.take(key(202), daily, 1)
		if !table.holds(key(200)) || !table.holds(key(201)) {
			t.Error("a key in use made room while others were empty")
		}
	})
}

// A key that comes often outweighs keys that use up a limit of one by coming
// once.
func TestWhoComesOftenStays(t *testing.T) {
	table := newTable(t, 8)
	pacing, limit := compile(t, algorithm.GCRA, 1, minute), compile(t, algorithm.GCRA, 100, minute)
	table.take(key(0), limit, 40)
	for range 10 {
		table.take(key(0), limit, 1)
	}
	for n := range 100 {
		table.take(key(1+n), pacing, 1)
	}
	if got := table.remaining(key(0), limit); got != 50 {
		t.Errorf("%d of 100 remain of a key that used 50", got)
	}
}

// Nearly all of the slots hold a key before one has to go, and none goes while the
// table grows.
func TestSlotsAreUsed(t *testing.T) {
	limit := compile(t, algorithm.GCRA, 1, 24*60*minute)
	for _, c := range []struct{ keys, max, lost int }{
		{100_000, 150_000, 0}, {100_000, 1 << 20, 0}, {100_000, 110_000, 500}, // some shards have more keys than slots
	} {
		table := newTable(t, c.max)
		for n := range c.keys {
			table.take(key(n), limit, 1)
		}
		if lost := c.keys - table.Len(); lost > c.lost {
			t.Errorf("%d of %d keys are forgotten with room for %d", lost, c.keys, c.max)
		}
	}
}
