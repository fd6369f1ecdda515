package memory

import (
	"math/bits"
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
// A slot whose TAT has passed says nothing, and the next key that looks for room
// takes it: nothing sweeps here.
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
	word atomic.Uint64 // the TAT, shifted, and the lock bit
	last atomic.Int64  // the instant of the last take, µs
}

const (
	idMask = 1<<algorithm.IDBits - 1
	locked = 1
)

// tagOf is never 0: no limit's number is.
func tagOf(k Key, id uint32) uint64 { return uint64(k)&^idMask | uint64(id) }

func wordOf(t algorithm.TAT) uint64 { return uint64(t) << 1 }

func tatOf(word uint64) algorithm.TAT { return algorithm.TAT(word >> 1) }

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
func homes(buckets []bucket, tag uint64) [2]*bucket {
	n := uint64(len(buckets))
	return [2]*bucket{
		&buckets[(tag>>32)*n>>32],
		&buckets[(tag>>algorithm.IDBits&(1<<32-1))*n>>32],
	}
}

// find is the slot of the tag as it stands there. Without the shard's mutex the
// slot may be another's a moment later.
func (f *flat) find(tag uint64) (slot, bool) {
	all := f.buckets.Load()
	if all == nil {
		return slot{}, false
	}
	for _, b := range homes(*all, tag) {
		for i := range b.tags {
			if b.tags[i].Load() == tag {
				return slot{b, i}, true
			}
		}
	}
	return slot{}, false
}

// findAny is find for a key under whatever limit. The caller has the mutex.
func (f *flat) findAny(k Key) (slot, bool) {
	all := f.buckets.Load()
	if all == nil {
		return slot{}, false
	}
	want := tagOf(k, 0)
	for _, b := range homes(*all, want) {
		for i := range b.tags {
			if tag := b.tags[i].Load(); tag != 0 && tag&^idMask == want {
				return slot{b, i}, true
			}
		}
	}
	return slot{}, false
}

// takeLone decides an op by itself, if its key is there under its limit and nobody
// works on it. Else it decides nothing. The instant is that of the decision: now, or
// of the key's last take if that is later.
func (f *flat) takeLone(op *Op, clock *clock) (at int64, decided bool) {
	tag := tagOf(op.Key, op.Limit.CompactID())
	s, found := f.find(tag)
	if !found {
		return 0, false
	}
	now := clock.now()
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
		if !s.word().CompareAndSwap(word, wordOf(tat)) {
			continue
		}
		// If the slot was given away in between, and the other key's word is the
		// same by chance, that key has been charged: ours is decided again.
		if s.tag().Load() != tag {
			return 0, false
		}
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

// give makes the slot the tag's. The word brings its lock bit.
func (s slot) give(tag, word uint64, last int64) {
	s.tag().Store(0)
	s.word().Store(word)
	s.last().Store(last)
	s.tag().Store(tag)
}

// empty makes the slot nobody's.
func (s slot) empty() {
	s.tag().Store(0)
	s.word().Store(0)
}

// insert gives the tag a slot, which stays locked, unless all that it could have
// are locked. forgot says that a key which said nothing any more was forgotten.
func (f *flat) insert(tag uint64, t algorithm.TAT, last, now int64) (forgot bool) {
	s, forgot, found := f.vacancy(f.all(), tag, now)
	for !found && f.grow(now) {
		s, forgot, found = f.vacancy(f.all(), tag, now)
	}
	if !found {
		s, found = f.evict(f.all(), tag, now)
	}
	if found {
		s.give(tag, wordOf(t)|locked, last)
	}
	return forgot
}

func (f *flat) all() []bucket {
	if all := f.buckets.Load(); all != nil {
		return *all
	}
	return nil
}

// room is a slot that is nobody's, or whose key says nothing any more, in the
// emptier of the tag's buckets: so that all of them fill evenly.
func (f *flat) room(all []bucket, tag uint64, now int64) (s slot, found bool) {
	if len(all) == 0 {
		return slot{}, false
	}
	most := 0
	for _, b := range homes(all, tag) {
		if free, n := f.roomIn(all, b, now); n > most {
			s, most = free, n
		}
	}
	return s, most > 0
}

// vacancy is room, or a slot that is made free by moving a key of the tag's buckets
// to its other bucket: so nearly all slots are in use before a key has to go.
// forgot says that a key which said nothing any more made way.
func (f *flat) vacancy(all []bucket, tag uint64, now int64) (s slot, forgot, found bool) {
	if s, found = f.room(all, tag, now); found {
		return s, s.tag().Load() != 0, true
	}
	if len(all) == 0 {
		return slot{}, false, false
	}
	for _, b := range homes(all, tag) {
		for i := range b.tags {
			if s = (slot{b, i}); s.tag().Load() == 0 || s.isLocked() {
				continue
			}
			if forgot, found = f.displace(all, s, now); found {
				return s, forgot, true
			}
		}
	}
	return slot{}, false, false
}

// displace moves the key of a slot to its other bucket, if there is room.
func (f *flat) displace(all []bucket, s slot, now int64) (forgot, moved bool) {
	tag := s.tag().Load()
	both := homes(all, tag)
	other := both[0]
	if other == s.bucket {
		other = both[1]
	}
	to, n := f.roomIn(all, other, now)
	if n == 0 || other == s.bucket {
		return false, false
	}
	forgot = to.tag().Load() != 0
	to.give(tag, wordOf(s.lock()), s.last().Load())
	s.empty()
	return forgot, true
}

// roomIn is one of the slots that are free in the bucket, and how many are.
func (f *flat) roomIn(all []bucket, b *bucket, now int64) (free slot, n int) {
	limits := algorithm.CompactLimits()
	for i := range b.tags {
		s := slot{b, i}
		tag := b.tags[i].Load()
		if tag == 0 && f.exists(all, s) ||
			tag != 0 && !s.isLocked() && limits[tag&idMask].IsFresh(tatOf(s.word().Load()), now) {
			free = s
			n++
		}
	}
	return free, n
}

// exists is false for what the last bucket has beyond the bound.
func (f *flat) exists(all []bucket, s slot) bool {
	return s.bucket != &all[len(all)-1] || (len(all)-1)*ways+s.way < f.max
}

// evict forgets, of the keys in the tag's buckets, the one that weighs least.
func (f *flat) evict(all []bucket, tag uint64, now int64) (least slot, found bool) {
	limits, lightest := algorithm.CompactLimits(), int64(0)
	for _, b := range homes(all, tag) {
		for i := range b.tags {
			s, tag := slot{b, i}, b.tags[i].Load()
			if tag == 0 || s.isLocked() {
				continue
			}
			weight := weigh(&limits[tag&idMask], tatOf(s.word().Load()), now)
			if !found || weight < lightest {
				least, lightest, found = s, weight, true
			}
		}
	}
	if found {
		f.spilled.put(least.tag().Load(), least.lock(), now, f.max)
	}
	return least, found
}

// weigh says how much would be forgiven by forgetting a key: how much of its
// capacity it has used, squared, times the length of the number of requests that
// it has used. The share alone would let keys that come once under 1/min free one
// that has used up 100/min, the number alone keys with a part of a large limit one
// that has used up a small one.
func weigh(l *algorithm.Limit, t algorithm.TAT, now int64) int64 {
	requests, share := l.Used(t, now)
	return share * share * int64(bits.Len64(uint64(requests)))
}

// grow makes the buckets a quarter more, until the bound. Words of the old
// ones stay locked: whoever still looks there comes for the mutex.
func (f *flat) grow(now int64) bool {
	old, most := f.all(), (f.max+ways-1)/ways
	if len(old) == most {
		return false
	}
	grown := make([]bucket, min(most, len(old)+len(old)/4+1))
	for b := range old {
		for i := range old[b].tags {
			s := slot{&old[b], i}
			if tag := s.tag().Load(); tag != 0 {
				f.move(grown, tag, s.word().Or(locked), s.last().Load(), now)
			}
		}
	}
	f.buckets.Store(&grown)
	return true
}

// move puts a key into grown buckets. It is rare, but possible, that there is no
// room in its two while there is in others.
func (f *flat) move(grown []bucket, tag, word uint64, last, now int64) {
	to, _, found := f.vacancy(grown, tag, now)
	if !found {
		to, found = f.evict(grown, tag, now)
	}
	if found {
		to.give(tag, word, last)
	}
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
