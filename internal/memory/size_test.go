//go:build !race

package memory

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// These tests and those of the guarantee have one goroutine, in which there is no race
// to find, and would take minutes under the detector.

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
