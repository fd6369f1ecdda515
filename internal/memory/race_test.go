package memory

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// What those who take without the mutex and those who have it do to one slot at once.

// keyIn is the nth key whose buckets, of two, are first and second.
func keyIn(first, second, n uint64) Key { return Key(first<<63 | second<<43 | n<<12) }

// A take that is counted is not decided again because its key is moved to its other
// bucket just then.
func TestMovedKeysAreChargedOnce(t *testing.T) {
	table := newTable(t, 2*ways)
	large, err := algorithm.Compile(algorithm.GCRA, 1, second, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	hot, admitted := keyIn(0, 1, 1), int64(0)
	var moved atomic.Bool
	var taker sync.WaitGroup
	taker.Go(func() {
		for !moved.Load() {
			for range 1000 {
				if table.take(hot, &large, 1).Allowed {
					admitted++
				}
			}
		}
	})
	slow := compile(t, algorithm.GCRA, 1, 24*60*minute)
	for round := range uint64(30_000) {
		table.crowd(round%2, slow)
	}
	moved.Store(true)
	taker.Wait()
	if got := 1<<30 - table.remaining(hot, &large); got != admitted {
		t.Errorf("%d were admitted and %d charged", admitted, got)
	}
}

// crowd fills one of two buckets for a moment: who could be in the other goes there.
func (t *tableAt) crowd(bucket uint64, l *algorithm.Limit) {
	for n := range uint64(ways) {
		t.take(keyIn(bucket, bucket, 200+n), l, 1)
	}
	for n := range uint64(ways) {
		t.Reset(keyIn(bucket, bucket, 200+n))
	}
}

// A take is not lost because the slot, which said nothing, is given to another key
// just then.
func TestNoTakeIsLostWithItsSlot(t *testing.T) {
	table := newTable(t, ways)
	limit := compile(t, algorithm.GCRA, 1, second)
	for n := range uint64(ways) {
		table.take(keyIn(0, 0, n), limit, 1)
	}
	for n := uint64(ways); n < 50_000; n++ {
		table.now.Add(second) // all slots say nothing, and that of the last key goes first
		var admitted atomic.Int64
		var taker sync.WaitGroup
		taker.Go(func() {
			for range 3 {
				if table.take(keyIn(0, 0, n-1), limit, 1).Allowed {
					admitted.Add(1)
				}
			}
		})
		table.take(keyIn(0, 0, n), limit, 1)
		if taker.Wait(); admitted.Load() != 1 {
			t.Fatalf("key %d was admitted %d times at one instant", n-1, admitted.Load())
		}
	}
}

// A refund that comes while a take has charged the slot and not yet noted when leaves
// what is held.
func TestRefundBesideATakeForgivesNothingElse(t *testing.T) {
	table := newTable(t, ways)
	limit := compile(t, algorithm.GCRA, 10, second)
	table.take(key(1), limit, 9)
	table.now.Add(60 * second)
	table.take(key(1), limit, 9)
	last := table.take(key(1), limit, 1)
	slot, _ := table.shards[0].flat.findAny(key(1))
	slot.last().Store(table.now.Load() - 60*second)
	table.Refund(1, refundOf(last))
	if got := table.remaining(key(1), limit); got > 1 {
		t.Errorf("%d of %d remain", got, limit.Burst)
	}
}
