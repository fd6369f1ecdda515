package memory

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

const (
	second int64 = 1_000_000
	minute       = 60 * second
	start        = 20_454 * 24 * 60 * minute // 2026-01-01, in µs
)

var kinds = []algorithm.Kind{
	algorithm.GCRA, algorithm.TokenBucket, algorithm.FixedWindow, algorithm.SlidingLog, algorithm.SlidingCounter,
}

func eachKind(t *testing.T, test func(*testing.T, algorithm.Kind)) {
	for _, kind := range kinds {
		t.Run([]string{"gcra", "token-bucket", "fixed-window", "sliding-log", "sliding-counter"}[kind], func(t *testing.T) { test(t, kind) })
	}
}

// tableAt is a table with the instant at which it decides. Nothing sweeps it but
// the test.
type tableAt struct {
	testing.TB
	*Table
	now *atomic.Int64
}

func newTable(t testing.TB, maxKeys int) *tableAt {
	now := new(atomic.Int64)
	now.Store(start)
	table := New(maxKeys, now.Load)
	table.Close()
	t.Cleanup(func() { checkInvariants(t, table) })
	return &tableAt{t, table, now}
}

func compile(t testing.TB, kind algorithm.Kind, count, period int64) *algorithm.Limit {
	t.Helper()
	l, err := algorithm.Compile(kind, count, period, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &l
}

var seed = maphash.MakeSeed()

// key is the nth key.
func key(n int) Key {
	var text [8]byte
	binary.LittleEndian.PutUint64(text[:], uint64(n))
	return Key(maphash.Bytes(seed, text[:]))
}

func (t *tableAt) take(k Key, l *algorithm.Limit, n int64) Op {
	op := Op{Key: k, Limit: l, Cost: n}
	t.TakeOne(&op)
	return op
}

func (t *tableAt) remaining(k Key, l *algorithm.Limit) int64 {
	op := Op{Key: k, Limit: l, Cost: 1, Peek: true}
	t.TakeOne(&op)
	return op.Outcome.Remaining
}

// holds reports whether the key has an entry.
func (t *tableAt) holds(k Key) bool {
	s := &t.shards[t.shardOf(k)]
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot, found := s.flat.findAny(k); found {
		return !algorithm.CompactLimits()[slot.tag().Load()&idMask].IsFresh(tatOf(slot.word().Load()), t.now.Load())
	}
	_, found := s.index[k]
	return found
}

// checkInvariants is run after every test, the concurrent ones above all.
func checkInvariants(t testing.TB, table *Table) {
	t.Helper()
	for i := range table.shards {
		s := &table.shards[i]
		s.mu.Lock()
		s.check(t)
		s.flat.check(t)
		s.mu.Unlock()
	}
}

func (s *shard) check(t testing.TB) {
	t.Helper()
	if len(s.index) > s.max {
		t.Errorf("%d keys in a shard of %d", len(s.index), s.max)
	}
	if len(s.queue) != len(s.index) || len(s.entries) != len(s.index)+len(s.free) {
		t.Errorf("%d keys, %d in the queue, %d entries of which %d are free", len(s.index), len(s.queue), len(s.entries), len(s.free))
	}
	logs := map[int32]bool{0: true}
	for k, i := range s.index {
		e := &s.entries[i]
		if e.key != k || s.queue[e.queued].entry != i {
			t.Errorf("entry %d of %v holds %v and is queued as %d", i, k, e.key, s.queue[e.queued].entry)
		}
		if at := s.queue[e.queued].at; at > s.expires(i) {
			t.Errorf("entry %d is queued for %d but is empty at %d", i, at, s.expires(i))
		}
		if e.log != 0 && (logs[e.log] || s.logs[e.log] == nil || !e.state.IsZero()) {
			t.Errorf("entry %d has log %d that is another's, or none, or a state beside it", i, e.log)
		}
		logs[e.log] = true
		if w := s.queue[e.queued].weight; w.takes == 0 || w.held {
			t.Errorf("entry %d was not weighed: %+v", i, w)
		}
	}
	for at := range s.queue {
		if parent := (at - 1) / 2; s.queue[parent].at > s.queue[at].at {
			t.Errorf("the queue is out of order at %d", at)
		}
	}
	for _, i := range s.free {
		if s.entries[i] != (entry{}) {
			t.Errorf("entry %d is free but not empty", i)
		}
	}
	for slot, log := range s.logs {
		if owned := logs[int32(slot)] && slot != 0; owned != (log != nil) {
			t.Errorf("log %d is there %t, but owned %t", slot, log != nil, owned)
		}
	}
	if len(s.logs) != len(logs)+len(s.freeLog) {
		t.Errorf("%d logs, %d owned, %d free", len(s.logs)-1, len(logs)-1, len(s.freeLog))
	}
}

func (f *flat) check(t testing.TB) {
	t.Helper()
	all, seen := f.all(), map[uint64]bool{}
	if n := (len(all) - 1) * ways; n >= f.max {
		t.Errorf("%d buckets for %d slots", len(all), f.max)
	}
	for b := range all {
		for i := range all[b].tags {
			s := slot{&all[b], i}
			tag := s.tag().Load()
			if s.isLocked() {
				t.Errorf("slot %d of bucket %d was left locked", i, b)
			}
			if tag == 0 {
				continue
			}
			if homes := bothHomes(all, tag); s.bucket != homes[0] && s.bucket != homes[1] {
				t.Errorf("tag %x is not at home in bucket %d", tag, b)
			}
			if seen[tag&^idMask] {
				t.Errorf("two slots hold %x", tag)
			}
			if seen[tag&^idMask] = true; !f.exists(all, s) {
				t.Errorf("tag %x is beyond the bound", tag)
			}
		}
	}
}
