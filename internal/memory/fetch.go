package memory

// Fetch brings what [Table.TakeOne] looks at first for each op into the processor's
// cache. Keys at random lie in main memory: one at a time each is waited for, while the
// loads here do not depend on each other and are waited for together. A decision about
// one of a million keys, 32 in a batch, takes half the time.
//
// It decides nothing, and what it has seen may be otherwise a moment later.
func (t *Table) Fetch(ops []Op) {
	for i := range ops {
		t.flatOf(ops[i].Key).fetchHomes(tagOf(ops[i].Key, 0))
	}
	for i := range ops {
		op := &ops[i]
		if s, found := t.flatOf(op.Key).find(tagOf(op.Key, op.Limit.CompactID())); found {
			s.word().Load()
		}
	}
}

func (t *Table) flatOf(k Key) *flat { return &t.shards[t.shardOf(k)].flat }

// fetchHomes loads what find goes through, without a branch that waits for it.
func (f *flat) fetchHomes(tag uint64) {
	if all := f.buckets.Load(); all != nil {
		touch(homes(*all, tag))
	}
}
