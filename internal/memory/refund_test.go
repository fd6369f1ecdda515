package memory

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

func refundOf(op Op) []Refund { return []Refund{{Key: op.Key, Limit: op.Limit, Charge: op.Charge}} }

// Which decisions were given back is remembered in bounded memory. Beyond the
// bound nothing is given back twice either: what is older than what was
// forgotten is not given back at all, and what is newer still is.
func TestRefundMarkersAreBounded(t *testing.T) {
	table := newTable(t, 100)
	limit := compile(t, algorithm.FixedWindow, 1<<40, 60*minute)
	const n = maxRecent + 1000
	ops := make([]Op, n)
	for i := range ops {
		table.now.Add(1)
		ops[i] = table.take(key(0), limit, 1)
	}
	late := ops[0]
	for i := 1; i < n; i++ {
		if !table.Refund(uint64(i), refundOf(ops[i])) {
			t.Fatalf("refund %d of %d gave nothing", i, n)
		}
	}
	left := table.remaining(key(0), limit)
	if left != 1<<40-1 {
		t.Fatalf("%d remain after all but one were given back", left)
	}
	for i := 1; i < n; i++ {
		if table.Refund(uint64(i), refundOf(ops[i])) {
			t.Fatalf("refund %d was given twice", i)
		}
	}
	if table.Refund(uint64(n), refundOf(late)) {
		t.Error("a decision older than what was forgotten was given back")
	}
	if got := table.remaining(key(0), limit); got != left {
		t.Errorf("%d remain, want %d", got, left)
	}
	table.now.Add(1)
	newer := table.take(key(0), limit, 5)
	if !table.Refund(uint64(n+1), refundOf(newer)) {
		t.Error("a new decision was not given back")
	}
	r := &table.refunds
	if len(r.seen) > maxRecent || len(r.order) > maxRecent || len(r.seen) != len(r.order) {
		t.Errorf("%d remembered, %d in order, of at most %d", len(r.seen), len(r.order), maxRecent)
	}
}

// A refund reports nothing where nothing counts any more, though the entry may
// remember it still: nobody has come since, so nothing was dropped.
func TestRefundOfWhatHasLeft(t *testing.T) {
	wait := map[algorithm.Kind]int64{
		algorithm.GCRA: 6 * second, algorithm.TokenBucket: 6 * second,
		algorithm.FixedWindow: minute, algorithm.SlidingLog: minute, algorithm.SlidingCounter: 2 * minute,
	}
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 100)
		limit := compile(t, kind, 10, minute)
		early, late := table.take(key(0), limit, 1), table.take(key(1), limit, 1)
		table.now.Add(wait[kind] - 1)
		if !table.Refund(1, refundOf(early)) {
			t.Error("a microsecond before it has left nothing was given back")
		}
		table.now.Add(1)
		if table.Refund(2, refundOf(late)) {
			t.Error("what had left was given back")
		}
	})
}

// A log whose entries were all given back is as good as none: it goes first, and
// with the next sweep.
func TestEmptiedLogGoes(t *testing.T) {
	table := newTable(t, 2)
	limit := compile(t, algorithm.SlidingLog, 10, minute)
	emptied := table.take(key(0), limit, 9)
	table.take(key(1), limit, 1)
	table.Refund(1, refundOf(emptied))
	table.take(key(2), limit, 1)
	if table.holds(key(0)) || !table.holds(key(1)) {
		t.Error("an empty log stayed, or another key went")
	}
	again := table.take(key(2), limit, 1)
	table.Refund(2, refundOf(again))
	table.take(key(2), limit, 1)
	table.Refund(3, refundOf(table.take(key(1), limit, 1)))
	table.Sweep()
	if table.Len() != 2 {
		t.Errorf("%d keys, want 2 with an entry each", table.Len())
	}
}

// A refund through a limit of another kind, or of a key that is not there, is
// nothing and makes nothing.
func TestRefundOfAnotherKind(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		for _, other := range kinds {
			table := newTable(t, 100)
			limit, next := compile(t, kind, 10, minute), compile(t, other, 10, minute)
			old := table.take(key(0), limit, 5)
			table.take(key(0), next, 5)
			before := table.remaining(key(0), next)
			gave := table.Refund(1, refundOf(old))
			bucket := func(k algorithm.Kind) bool { return k == algorithm.GCRA || k == algorithm.TokenBucket }
			if same := kind == other || bucket(kind) && bucket(other); gave != same {
				t.Errorf("%d to %d: given back %t", kind, other, gave)
			}
			if got := table.remaining(key(0), next); !gave && got != before {
				t.Errorf("%d to %d: %d remain, %d did before", kind, other, got, before)
			}
			if table.Refund(2, refundOf(Op{Key: key(1), Limit: limit, Charge: old.Charge})) || table.holds(key(1)) {
				t.Error("a key that was not there was given something, or made")
			}
		}
	})
}
