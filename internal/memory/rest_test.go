package memory

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// A key that says nothing any more finds its slot again, as long as the table has
// room to grow: so keys that come often are decided without a lock, however fast
// their limits drain.
func TestIdleKeysKeepTheirSlotsForAWhile(t *testing.T) {
	table := newTable(t, 100_000)
	fast := compile(t, algorithm.GCRA, 1000, second)
	const keys = 10_000
	for n := range keys {
		table.now.Add(rest / keys / 2)
		table.take(key(n), fast, 1)
	}
	for n := range keys {
		if !table.hasSlot(key(n), fast) {
			t.Fatalf("key %d of %d has lost its slot", n, keys)
		}
	}
}

// Keys that come once leave their slots to others after that: the table grows with
// the keys of some seconds, not with all that ever came.
func TestIdleKeysLeaveTheirSlots(t *testing.T) {
	table := newTable(t, 100_000)
	fast := compile(t, algorithm.GCRA, 1000, second)
	const keys = 1000 // in the time
	for n := range 20 * keys {
		table.now.Add(rest / keys)
		table.take(key(n), fast, 1)
	}
	if got := table.slots(); got > 3*keys {
		t.Errorf("%d slots for %d keys in %d s", got, keys, rest/second)
	}
}

// At the bound a key that says nothing makes room at once.
func TestIdleKeysDoNotRestAtTheBound(t *testing.T) {
	table := newTable(t, 64)
	fast, slow := compile(t, algorithm.GCRA, 1000, second), compile(t, algorithm.GCRA, 1, 60*minute)
	for n := range 32 {
		table.take(key(-1-n), slow, 1)
	}
	for n := range 1000 {
		table.now.Add(second / 100)
		table.take(key(n), fast, 1)
	}
	for n := range 32 {
		if !table.hasSlot(key(-1-n), slow) {
			t.Errorf("key %d made room while others were empty", n)
		}
	}
}

func (t *tableAt) hasSlot(k Key, l *algorithm.Limit) bool {
	_, found := t.shards[t.shardOf(k)].flat.find(tagOf(k, l.CompactID()))
	return found
}

func (t *tableAt) slots() (n int) {
	for i := range t.shards {
		n += ways * len(t.shards[i].flat.all())
	}
	return n
}
