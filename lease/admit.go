package lease

import (
	"math/bits"
	"sync"
	"time"

	"github.com/weirhq/weir"
)

// lease is what this process has taken of a key and not admitted yet. It is an
// ordinary take: those that are admitted from it are what it was made of, one after
// the other. Its shard's lock guards it.
type lease struct {
	key    weir.Key
	limit  *weir.Limit
	size   int64 // what was taken, in requests
	left   int64 // of that
	ends   time.Duration
	asking bool // a call for it is on its way

	wish  int64         // what to take next
	after time.Duration // and from when on

	last   weir.Result // of the whole lease
	before weir.Level  // of the next request from it
}

// The bound on leases: 4096.
const (
	shards      = 64
	shardLeases = 64
)

// shard holds leases by the hash of their keys. Of two keys with one hash the first
// is leased.
type shard struct {
	mu sync.Mutex
	by map[uint64]*lease
}

// places are the shards and hashes of a request's keys.
type places struct {
	hashes [maxChecks]uint64
	mask   uint64 // a bit for each shard
}

func (s *Store) places(checks []weir.Check) (p places) {
	for i := range checks {
		p.hashes[i] = s.hash(&checks[i].Key)
		p.mask |= 1 << (p.hashes[i] % shards)
	}
	return p
}

func (s *Store) shard(hash uint64) *shard { return &s.shards[hash%shards] }

// lock is in ascending order, so that no two requests wait for each other.
func (s *Store) lock(mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		s.shards[bits.TrailingZeros64(mask)].mu.Lock()
	}
}

func (s *Store) unlock(mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		s.shards[bits.TrailingZeros64(mask)].mu.Unlock()
	}
}

// admit answers a request each of whose checks has room in a lease.
func (s *Store) admit(checks []weir.Check, results []weir.Result) bool {
	p, now := s.places(checks), s.now()
	s.lock(p.mask)
	defer s.unlock(p.mask)
	var leases [maxChecks]*lease
	for i := range checks {
		l := s.shard(p.hashes[i]).by[p.hashes[i]]
		if l == nil || !l.isOf(&checks[i]) || now >= l.ends || l.left < checks[i].Cost {
			return false
		}
		leases[i] = l
	}
	for i := range checks {
		results[i] = leases[i].take(checks[i].Cost)
	}
	s.stats.local.Add(1)
	return true
}

// isOf is false after the limit was changed too: then what was leased is given back.
func (l *lease) isOf(c *weir.Check) bool {
	return l.key == c.Key && (l.limit == c.Limit || l.limit.Wire() == c.Limit.Wire() && l.limit.Lease() == c.Limit.Lease())
}

// take is the answer to the next request from the lease. Others may have taken
// meanwhile and time has passed: what remains is as it was at the lease's instant.
func (l *lease) take(cost int64) weir.Result {
	r := l.last
	r.Before = l.before
	l.left -= cost
	l.before = beyond(l.before, l.limit, cost)
	r.Remaining += l.left
	if cost <= r.Remaining {
		r.NextAfter = 0
	}
	return r
}

// beyond is the level of a bucket that has taken so much more.
func beyond(level weir.Level, l *weir.Limit, cost int64) weir.Level {
	if l.Algorithm().HasBurst() {
		level.Whole += cost
	}
	return level
}
