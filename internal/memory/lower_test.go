package memory

import (
	"sync"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// What is left is lowered, never raised, whatever the limit's kind.
func TestLower(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table, limit := newTable(t, 1024), compile(t, kind, 10, minute)
		lower := func(most int64) { table.Lower(&Op{Key: key(1), Limit: limit}, most) }
		for _, c := range []struct{ most, want int64 }{{10, 10}, {12, 10}, {7, 7}, {9, 7}, {7, 7}, {0, 0}, {3, 0}} {
			lower(c.most)
			if got := table.remaining(key(1), limit); got != c.want {
				t.Errorf("at most %d: %d are left, want %d", c.most, got, c.want)
			}
		}
		table.now.Add(3 * minute)
		if got := table.remaining(key(1), limit); got != 10 {
			t.Errorf("three minutes later %d are left", got)
		}
		lower(10)
		lower(4)
		doubled := compile(t, kind, 20, minute)
		for _, c := range []struct{ most, want int64 }{{20, 14}, {5, 5}} {
			table.Lower(&Op{Key: key(1), Limit: doubled}, c.most)
			if got := table.remaining(key(1), doubled); got != c.want {
				t.Errorf("of twice the limit, at most %d: %d are left, want %d", c.most, got, c.want)
			}
		}
		if table.take(key(2), limit, 4); table.remaining(key(2), limit) != 6 {
			t.Error("another key has lost some")
		}
	})
}

// Those who lower a key at once, and take of it, take nothing twice.
func TestLowerIsOneStep(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table, limit := newTable(t, 1024), compile(t, kind, 1_000, minute)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for most := int64(999); most >= 500; most-- {
					table.Lower(&Op{Key: key(1), Limit: limit}, most)
				}
			})
		}
		all.Wait()
		if got := table.remaining(key(1), limit); got != 500 {
			t.Errorf("%d are left, want 500", got)
		}
	})
}
