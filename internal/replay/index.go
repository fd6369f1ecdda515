package replay

import (
	"math/bits"
	"math/rand/v2"
)

// index finds places in a list by a hash, of which any may be the right one. It is a
// table with open addressing and without pointers: a place is found with one wait for
// memory, where a map waits for several, and the garbage collector passes it over. With
// a map of 100,000 addresses in its place a replay takes a twelfth longer.
type index struct {
	factor uint32 // odd and random, so that nobody can choose hashes that crowd
	shift  int
	slots  []indexSlot // a power of two, at most three quarters of them in use
	count  int
}

type indexSlot struct {
	hash  uint32
	place int32 // + 1; 0 in a free one
}

const leastSlots = 1 << 6

func newIndex() index {
	x := index{factor: rand.Uint32() | 1}
	x.resize(leastSlots)
	return x
}

func (x *index) resize(n int) {
	before := x.slots
	x.slots, x.count = make([]indexSlot, n), 0
	x.shift = 32 - bits.TrailingZeros(uint(n))
	for _, s := range before {
		if s.place != 0 {
			x.put(s)
		}
	}
}

// probe goes over the places of one hash.
type probe struct {
	of   *index
	hash uint32
	at   uint32
}

func (x *index) probe(hash uint32) probe { return probe{x, hash, hash * x.factor >> x.shift} }

// next is false where there are no more.
func (p *probe) next() (place int32, more bool) {
	for {
		s := &p.of.slots[p.at&uint32(len(p.of.slots)-1)]
		p.at++
		switch {
		case s.place == 0:
			return 0, false
		case s.hash == p.hash:
			return s.place - 1, true
		}
	}
}

func (x *index) add(hash uint32, place int32) {
	x.put(indexSlot{hash, place + 1})
	if 4*x.count > 3*len(x.slots) {
		x.resize(2 * len(x.slots))
	}
}

func (x *index) put(s indexSlot) {
	i := s.hash * x.factor >> x.shift
	for x.slots[i].place != 0 {
		i = (i + 1) & uint32(len(x.slots)-1)
	}
	x.slots[i] = s
	x.count++
}

func (x *index) clear() {
	clear(x.slots)
	x.count = 0
}
