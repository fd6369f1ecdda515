package memory

import (
	"math/bits"

	"github.com/weirhq/weir/internal/algorithm"
)

// Who gets a slot, and who has to leave one. All of this is for the holder of the
// shard's mutex.

// insert gives the tag a slot, which stays locked, unless all that it could have
// are locked. forgot says that a key which said nothing any more was forgotten.
func (f *flat) insert(tag uint64, t algorithm.TAT, last, now int64) (forgot bool) {
	s, forgot, found := f.vacancy(f.all(), tag, f.unused(now))
	for !found && len(f.all()) < f.most() {
		forgot = f.grow(now) || forgot
		var other bool
		s, other, found = f.vacancy(f.all(), tag, f.unused(now))
		forgot = forgot || other
	}
	if !found {
		s, found = f.evict(f.all(), tag, now)
	}
	if found {
		s.give(tag, wordOf(t)|locked, last)
	}
	return forgot
}

// rest is for how long, in µs, a slot that says nothing is left to its key. A key that
// comes more often keeps it, and is decided without a lock each time.
const rest = 10_000_000

// unused is the age from which on slots are taken from keys that say nothing.
func (f *flat) unused(now int64) age {
	if len(f.all()) == f.most() {
		return age{now, now}
	}
	return age{now, now - rest}
}

// age is of slots that say nothing at now, and were taken last at an instant or
// before.
type age struct{ now, last int64 }

func (a age) has(tag, word uint64, last int64) bool {
	return word&locked == 0 && last <= a.last &&
		algorithm.CompactLimits()[tag&idMask].IsFresh(tatOf(word), a.now)
}

// most is how many buckets there may be.
func (f *flat) most() int { return (f.max + ways - 1) / ways }

// room is a slot that is nobody's, or that nobody needs, in the emptier of the tag's
// buckets: so that all of them fill evenly.
func (f *flat) room(all []bucket, tag uint64, unused age) (s slot, found bool) {
	if len(all) == 0 {
		return slot{}, false
	}
	for {
		first, second := homes(all, tag)
		s, most := f.roomIn(all, first, unused)
		if other, n := f.roomIn(all, second, unused); n > most {
			s, most = other, n
		}
		if most == 0 || s.vacate(unused) {
			return s, most > 0
		}
	}
}

// vacancy is room, or a slot that is made free by moving a key of the tag's buckets
// to its other bucket: so nearly all slots are in use before a key has to go.
// forgot says that a key which said nothing any more made way.
func (f *flat) vacancy(all []bucket, tag uint64, unused age) (s slot, forgot, found bool) {
	if s, found = f.room(all, tag, unused); found {
		return s, s.tag().Load() != 0, true
	}
	if len(all) == 0 {
		return slot{}, false, false
	}
	for _, b := range bothHomes(all, tag) {
		for i := range b.tags {
			if s = (slot{b, i}); s.tag().Load() == 0 || s.isLocked() {
				continue
			}
			if forgot, found = f.displace(all, s, unused); found {
				return s, forgot, true
			}
		}
	}
	return slot{}, false, false
}

// displace moves the key of a slot to its other bucket, if there is room.
func (f *flat) displace(all []bucket, s slot, unused age) (forgot, moved bool) {
	tag := s.tag().Load()
	first, other := homes(all, tag)
	if other == s.bucket {
		other = first
	}
	to, n := f.roomIn(all, other, unused)
	if n == 0 || other == s.bucket || !to.vacate(unused) {
		return false, false
	}
	forgot = to.tag().Load() != 0
	to.give(tag, wordOf(s.lock()), s.last().Load())
	s.empty()
	return forgot, true
}

func bothHomes(all []bucket, tag uint64) [2]*bucket {
	first, second := homes(all, tag)
	return [2]*bucket{first, second}
}

// roomIn is one of the slots that are free in the bucket, and how many are.
func (f *flat) roomIn(all []bucket, b *bucket, unused age) (free slot, n int) {
	for i := range b.tags {
		s := slot{b, i}
		if tag := s.tag().Load(); tag == 0 && f.exists(all, s) || tag != 0 && s.isUnused(tag, unused) {
			free = s
			n++
		}
	}
	return free, n
}

func (s slot) isUnused(tag uint64, unused age) bool {
	return unused.has(tag, s.word().Load(), s.last().Load())
}

// vacate locks a slot that is to be another key's, unless its key has come again
// meanwhile, without the mutex.
func (s slot) vacate(unused age) bool {
	tag, word := s.tag().Load(), s.word().Load()
	return tag == 0 || unused.has(tag, word, s.last().Load()) && s.word().CompareAndSwap(word, word|locked)
}

// exists is false for what the last bucket has beyond the bound.
func (f *flat) exists(all []bucket, s slot) bool {
	return s.bucket != &all[len(all)-1] || (len(all)-1)*ways+s.way < f.max
}

// evict forgets, of the keys in the tag's buckets, the one that weighs least.
func (f *flat) evict(all []bucket, tag uint64, now int64) (least slot, found bool) {
	limits, lightest := algorithm.CompactLimits(), int64(0)
	for _, b := range bothHomes(all, tag) {
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

// grow makes the buckets a quarter more, until the bound, and forgets the keys that
// nobody needs. Words of the old ones stay locked: whoever still looks there comes for
// the mutex.
func (f *flat) grow(now int64) (forgot bool) {
	old, unused := f.all(), f.unused(now)
	grown := make([]bucket, min(f.most(), len(old)+len(old)/4+1))
	for b := range old {
		for i := range old[b].tags {
			s := slot{&old[b], i}
			tag, word := s.tag().Load(), s.word().Or(locked)
			switch last := s.last().Load(); {
			case tag == 0:
			case unused.has(tag, word, last):
				forgot = true
			default:
				f.move(grown, tag, word, last, now)
			}
		}
	}
	f.buckets.Store(&grown)
	return forgot
}

// move puts a key into grown buckets. It is rare, but possible, that there is no
// room in its two while there is in others.
func (f *flat) move(grown []bucket, tag, word uint64, last, now int64) {
	to, _, found := f.vacancy(grown, tag, f.unused(now))
	if !found {
		to, found = f.evict(grown, tag, now)
	}
	if found {
		to.give(tag, word, last)
	}
}
