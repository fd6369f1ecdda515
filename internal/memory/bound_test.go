package memory

import (
	"sync"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

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
