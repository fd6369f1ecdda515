package memory

import "unsafe"

// Fetch brings what [Table.TakeFetched] looks at first for each op into the processor's
// cache, and gives the instant for all of them. Keys at random lie in main memory: one
// at a time each is waited for, while here all are on their way together. A decision
// about one of a million keys, 32 in a batch, takes less than half the time. The tags
// come first, so that of the states only those are brought that count.
//
// It decides nothing, and what it has seen may be otherwise a moment later.
func (t *Table) Fetch(ops []Op) (now int64) {
	for i := range ops {
		t.flatOf(ops[i].Key).fetchTags(tagOf(ops[i].Key, 0))
	}
	for i := range ops {
		if s, found := t.flatOf(ops[i].Key).findFetched(ops[i].tag()); found {
			prefetch(unsafe.Pointer(s.word()))
		}
	}
	return t.clock.now()
}

func (t *Table) flatOf(k Key) *flat { return &t.shards[t.shardOf(k)].flat }

// fetchTags brings what find goes through, without a branch that waits for it.
func (f *flat) fetchTags(tag uint64) {
	if all := f.buckets.Load(); all != nil {
		first, second := homes(*all, tag)
		prefetch(unsafe.Pointer(first))
		prefetch(unsafe.Pointer(second))
	}
}

// findFetched is find without touching what lies beside the tags. Tag 0 is nobody's.
func (f *flat) findFetched(tag uint64) (slot, bool) {
	all := f.buckets.Load()
	if all == nil || tag == 0 {
		return slot{}, false
	}
	first, second := homes(*all, tag)
	if s, found := first.find(tag); found {
		return s, true
	}
	return second.find(tag)
}

// TakeFetched is [Table.TakeOne] at the instant of [Table.Fetch], or at a later one: what
// has to wait for others reads the clock again.
func (t *Table) TakeFetched(op *Op, now int64) int64 {
	s := &t.shards[t.shardOf(op.Key)]
	tag := op.tag()
	if slot, found := s.flat.findFetched(tag); found {
		if at, decided := slot.takeLone(op, tag, now); decided {
			return at
		}
	}
	return t.takeLocked(s, op)
}
