package lease

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
)

// lifetime is how long a lease lasts. It is the T of every bound: what is admitted
// was charged no longer ago.
func lifetime(l *weir.Limit) time.Duration { return min(time.Second, l.Rate().Period/10) }

// hot is how many takes of a key within a lifetime make a lease worth its call.
const hot = 8

// demand counts what the store was asked for, in the one slot that a key leads to.
// Keys that share one look busier than they are, which costs a lease too many.
type demand [1 << 13]atomic.Uint64

// A slot is the number of a lifetime, and the requests of the one before and of
// this one.
const (
	countBits = 20
	countMax  = 1<<countBits - 1
)

// add counts requests and returns how many there were within this lifetime, or
// within the last one if that is more.
func (d *demand) add(hash uint64, number uint64, cost int64) int64 {
	slot := &d[hash/shards%uint64(len(d))]
	number &= 1<<(64-2*countBits) - 1
	for {
		old := slot.Load()
		before, current := old>>countBits&countMax, old&countMax
		switch old >> (2 * countBits) {
		case number:
		case number - 1:
			before, current = current, 0
		default:
			before, current = 0, 0
		}
		current = min(current+uint64(min(cost, countMax)), countMax)
		if slot.CompareAndSwap(old, number<<(2*countBits)|before<<countBits|current) {
			return int64(max(before, current))
		}
	}
}

func (s *Store) hash(k *weir.Key) uint64 {
	return maphash.String(s.seed, k.Identity) ^ bits.RotateLeft64(maphash.String(s.seed, k.Layer), 1) ^ bits.RotateLeft64(maphash.String(s.seed, k.Limit), 2)
}
