package memory

import (
	"sync/atomic"

	"github.com/weirhq/weir/internal/algorithm"
)

// flat holds the keys that one integer decides (see algorithm.TAT) in 24 bytes
// each, without pointers. Slots lie in buckets of eight, and a key may be in one
// of two buckets.
//
// Whoever decides one check alone of a key that is there takes no lock: it loads
// the slot's word, decides, and swaps it if it is still the same. Everything else
// holds the shard's mutex: it alone gives slots to keys and takes them away, and
// while it decides on a slot it keeps the word's lowest bit set, upon which those
// without the mutex come and wait for it.
//
// A slot whose TAT has passed says nothing, and a key that looks for room takes it:
// nothing sweeps here. While the buckets may still grow it is left alone for a while,
// since a key that comes again is decided without a lock if its slot is there.
type flat struct {
	buckets atomic.Pointer[[]bucket]
	max     int // slots
	spilled spill
}

const ways = 8

// bucket is three cache lines, of which a key that is here costs two and one that
// is not costs one.
type bucket struct {
	tags   [ways]atomic.Uint64 // 52 bits of the key's hash, and the limit's number; 0: free
	states [ways]state
}

type state struct {
	word atomic.Uint64 // the TAT, shifted, and two bits: see locked and turn
	last atomic.Int64  // the instant of the last take, µs
}

const (
	idMask = 1<<algorithm.IDBits - 1
	locked = 1
	// turn is another each time the slot becomes another key's. So whoever swaps a
	// word without the mutex swaps its own key's, even if the next key's TAT is the
	// same: under one limit it is of all that come first in one µs.
	turn = 2
)

// tagOf is never 0: no limit's number is.
func tagOf(k Key, id uint32) uint64 { return uint64(k)&^idMask | uint64(id) }

func wordOf(t algorithm.TAT) uint64 { return uint64(t) << 2 }

func tatOf(word uint64) algorithm.TAT { return algorithm.TAT(word >> 2) }

// slot is a place of a bucket.
type slot struct {
	*bucket
	way int
}

func (s slot) tag() *atomic.Uint64  { return &s.tags[s.way] }
func (s slot) word() *atomic.Uint64 { return &s.states[s.way].word }
func (s slot) last() *atomic.Int64  { return &s.states[s.way].last }

// homes are the two buckets, perhaps the same, of all tags with the same hash.
// Nothing else of the key is known when the buckets grow.
func homes(buckets []bucket, tag uint64) (first, second *bucket) {
	n := uint64(len(buckets))
	return &buckets[(tag>>32)*n>>32], &buckets[(tag>>algorithm.IDBits&(1<<32-1))*n>>32]
}

func (f *flat) all() []bucket {
	if all := f.buckets.Load(); all != nil {
		return *all
	}
	return nil
}

// find is the slot of the tag as it stands there. Without the shard's mutex the
// slot may be another's a moment later.
func (f *flat) find(tag uint64) (slot, bool) {
	all := f.buckets.Load()
	if all == nil {
		return slot{}, false
	}
	first, second := homes(*all, tag)
	touch(first, second)
	if s, found := first.find(tag); found {
		return s, true
	}
	return second.find(tag)
}

func (b *bucket) find(tag uint64) (slot, bool) {
	for i := range b.tags {
		if b.tags[i].Load() == tag {
			return slot{b, i}, true
		}
	}
	return slot{}, false
}

// touch begins to load where a key may be, from memory all at once instead of line
// after line: a tenth of a decision on one of a million keys.
func touch(first, second *bucket) {
	first.states[0].word.Load()
	first.states[ways/2].word.Load()
	second.tags[0].Load()
}

// findAny is find for a key under whatever limit. The caller has the mutex.
func (f *flat) findAny(k Key) (slot, bool) {
	all := f.buckets.Load()
	if all == nil {
		return slot{}, false
	}
	first, second := homes(*all, tagOf(k, 0))
	if s, found := first.findAny(k); found {
		return s, true
	}
	return second.findAny(k)
}

func (b *bucket) findAny(k Key) (slot, bool) {
	want := tagOf(k, 0)
	for i := range b.tags {
		if tag := b.tags[i].Load(); tag != 0 && tag&^idMask == want {
			return slot{b, i}, true
		}
	}
	return slot{}, false
}

// takeLone decides an op by itself on the slot of the tag, if that is still its and
// nobody works on it. Else it decides nothing. The instant is that of the decision: now,
// or of the key's last take if that is later.
func (s slot) takeLone(op *Op, tag uint64, now int64) (at int64, decided bool) {
	for {
		word, last := s.word().Load(), s.last().Load()
		at = max(now, last)
		if word&locked != 0 || s.tag().Load() != tag {
			return 0, false
		}
		var tat algorithm.TAT
		tat, op.Allowed = op.Limit.TakeTAT(tatOf(word), at, op.Cost)
		if op.Charged = op.Allowed && op.Cost > 0 && !op.Peek; !op.Charged {
			op.Outcome = op.Limit.ReadTAT(tatOf(word), at, op.Cost)
			return at, true
		}
		if !s.word().CompareAndSwap(word, word&turn|wordOf(tat)) {
			continue
		}
		// It is charged, wherever the key is moved to from now on.
		// Of two who take at once the earlier may come here last. Only a change of
		// the limit looks at this instant, and which of the two it was is as good. A
		// hot key is taken several times in a µs, and storing costs what reading does
		// not.
		if at != last {
			s.last().Store(at)
		}
		op.Outcome, op.Charge = op.Limit.SettleTAT(tat, at, op.Cost)
		return at, true
	}
}

// The rest is for the holder of the shard's mutex. What it has locked it looks for
// again by the tag: the buckets may have grown meanwhile.

// lock keeps those without the mutex from the slot, and reads its TAT.
func (s slot) lock() algorithm.TAT { return tatOf(s.word().Or(locked)) }

func (s slot) unlock() { s.word().And(^uint64(locked)) }

func (s slot) isLocked() bool { return s.word().Load()&locked != 0 }

// held is a slot that a cell keeps locked.
type held struct {
	slot
	all        *[]bucket     // of which the slot is; nil: it is to be looked for
	tat, found algorithm.TAT // as claimed so far, and as it was
	last       int64
	taken      bool // tat is to be written
}

// seize locks the slot and reads it.
func (h *held) seize(f *flat, s slot) {
	h.slot, h.all = s, f.buckets.Load()
	h.found, h.last = s.lock(), s.last().Load()
	h.tat = h.found
}

// again is the slot of the tag, which may have moved to grown buckets. Tag 0 has
// none.
func (f *flat) again(h *held, tag uint64) (slot, bool) {
	switch {
	case tag == 0:
		return slot{}, false
	case h.all != nil && h.all == f.buckets.Load():
		return h.slot, true
	}
	return f.find(tag)
}

// set writes the TAT and lets others to the slot.
func (s slot) set(t algorithm.TAT) { s.word().Store(s.word().Load()&turn | wordOf(t)) }

// give makes the slot the tag's. The word brings its lock bit.
func (s slot) give(tag, word uint64, last int64) {
	s.tag().Store(0)
	s.word().Store(word&^turn | ^s.word().Load()&turn)
	s.last().Store(last)
	s.tag().Store(tag)
}

// empty makes the slot nobody's.
func (s slot) empty() {
	s.tag().Store(0)
	s.word().And(turn)
}

// len is the number of keys that say something at now.
func (f *flat) len(now int64) (n int) {
	all, limits := f.all(), algorithm.CompactLimits()
	for b := range all {
		for i := range all[b].tags {
			tag := all[b].tags[i].Load()
			if tag != 0 && !limits[tag&idMask].IsFresh(tatOf(all[b].states[i].word.Load()), now) {
				n++
			}
		}
	}
	return n
}
