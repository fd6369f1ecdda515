package trail

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/weirhq/weir"
)

const (
	shards    = 16
	registers = 64 // of each shard's count of callers
)

// sketch is the space-saving sketch of Metwally, Agrawal and El Abbadi (2005) over
// what callers ask: of a stream of N it knows, in k counters, everybody who asked
// more than N/k, and tells each too much by no more than that. A caller is of one
// shard, by its hash, so both hold for the shard's part of the stream.
//
// Each shard also estimates how many callers there are (HyperLogLog).
type sketch struct {
	shards [shards]shard
	missed atomic.Int64 // what was not counted: another goroutine held the shard
}

type shard struct {
	mu      sync.Mutex
	hashes  []uint64 // apart, for a scan of few cache lines
	callers []caller
	full    bool // somebody's counter was given to another
	ranks   [registers]uint8
	_       [64]byte // no two shards' locks in one cache line
}

// caller is what is known of one.
type caller struct {
	identity string // cut to maxText bytes
	rule     *weir.Limit
	asked    int64 // requests, at most over too many
	over     int64
	refused  int64 // since it has a counter
	// peak is the most it asked in one period, of those that begin at a multiple
	// of the period since the epoch.
	peak, inPeriod, periodEnd int64
	last                      int64 // µs
}

func newSketch(counters int) *sketch {
	k := &sketch{}
	for i := range k.shards {
		k.shards[i].hashes = make([]uint64, 0, counters/shards)
		k.shards[i].callers = make([]caller, 0, counters/shards)
	}
	return k
}

func (k *sketch) shard(hash uint64) *shard { return &k.shards[hash>>60] }

// add counts what a caller asks. It never waits.
func (k *sketch) add(hash uint64, c *weir.Check, r *weir.Result, weight int64) {
	s := k.shard(hash)
	if !s.mu.TryLock() {
		k.missed.Add(weight)
		return
	}
	s.add(hash, c, r, weight)
	s.mu.Unlock()
}

func (s *shard) add(hash uint64, c *weir.Check, r *weir.Result, weight int64) {
	register := &s.ranks[hash>>54&(registers-1)]
	*register = max(*register, uint8(bits.LeadingZeros64(hash<<10|1<<9)+1))
	one := s.counter(hash, c.Key.Identity)
	one.asked += weight
	if !r.Allowed {
		one.refused++
	}
	if one.rule != c.Limit {
		one.rule = c.Limit
	}
	one.last = r.At
	one.pace(r.At, weight)
}

// counter is the caller's, or one that is taken from whoever has asked least.
func (s *shard) counter(hash uint64, identity string) *caller {
	for i, other := range s.hashes {
		if other == hash {
			return &s.callers[i]
		}
	}
	if n := len(s.hashes); n < cap(s.hashes) {
		s.hashes, s.callers = append(s.hashes, hash), append(s.callers, caller{identity: cut(identity)})
		return &s.callers[n]
	}
	least := 0
	for i := range s.callers {
		if s.callers[i].asked < s.callers[least].asked {
			least = i
		}
	}
	s.full = true
	s.hashes[least] = hash
	one := &s.callers[least]
	*one = caller{identity: cut(identity), asked: one.asked, over: one.asked}
	return one
}

// pace counts within the period.
func (c *caller) pace(at, weight int64) {
	if at >= c.periodEnd {
		period := c.rule.Rate().Period.Microseconds()
		c.periodEnd = (at/period + 1) * period
		c.inPeriod = 0
	}
	c.inPeriod += weight
	c.peak = max(c.peak, c.inPeriod)
}

// collect adds everybody to the others, by hash, and gives the most that somebody
// can have asked who has no counter.
func (k *sketch) collect(into map[uint64]caller, ranks *[shards * registers]uint8) (unseen int64) {
	for i := range k.shards {
		s := &k.shards[i]
		s.mu.Lock()
		for j, hash := range s.hashes {
			into[hash] = into[hash].with(s.callers[j])
		}
		for j, rank := range s.ranks {
			at := i*registers + j
			ranks[at] = max(ranks[at], rank)
		}
		unseen = max(unseen, s.unseen())
		s.mu.Unlock()
	}
	return unseen
}

func (s *shard) unseen() int64 {
	if !s.full {
		return 0
	}
	least := s.callers[0].asked
	for i := range s.callers {
		least = min(least, s.callers[i].asked)
	}
	return least
}

// with is the same caller in two generations.
func (c caller) with(other caller) caller {
	if c.identity == "" {
		return other
	}
	if other.last < c.last {
		c, other = other, c
	}
	other.asked += c.asked
	other.over += c.over
	other.refused += c.refused
	other.peak = max(other.peak, c.peak)
	return other
}

// find is what is known of one caller.
func (k *sketch) find(hash uint64) (caller, bool) {
	s := k.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.hashes {
		if other == hash {
			return s.callers[i], true
		}
	}
	return caller{}, false
}

// callersBy estimates how many callers left these ranks: within 7% in 95 of 100
// cases.
func callersBy(ranks *[shards * registers]uint8) int64 {
	const m = shards * registers
	sum, zeros := 0.0, 0
	for _, rank := range ranks {
		sum += math.Ldexp(1, -int(rank))
		if rank == 0 {
			zeros++
		}
	}
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && zeros > 0 {
		estimate = m * math.Log(m/float64(zeros))
	}
	return int64(math.Round(estimate))
}
