package memory

import (
	"math"
	"math/bits"
)

// At the bound a new key takes the place of another. An entry that says nothing
// any more is best; where there is none, whoever floods the table with new keys
// must not thereby free one that has used up its limit. The instant at which an
// entry is empty does not tell them apart: one request of a daily quota outlives
// a used-up minute, and within one fixed window all keys are empty at once. What
// does is how much of its capacity a key has used, squared, times how often it
// came. Squared, so that a limit used up by one request outweighs a half used one
// that came three times.

// weight is kept in the queue, where there is room for it.
type weight struct {
	share uint16 // of its capacity that was used when it last came, a power of two, squared
	takes uint8  // how often it came
	held  bool   // by a request that goes on, which does not evict what it has charged
}

const (
	fullShare = 1 << 15
	// sampled is how many entries are looked at for one to remove, in turn.
	sampled = 16
)

func (w weight) total() uint32 {
	if w.held {
		return math.MaxUint32
	}
	return uint32(w.takes) * uint32(w.share)
}

// victim is the entry that forgetting at now forgives the least.
func (s *shard) victim(now int64) int32 {
	if i := s.nearestToEmpty(); s.expires(i) <= now {
		s.past = max(s.past, now)
		return i
	}
	var least *due
	for range min(sampled, len(s.queue)) {
		s.hand = (s.hand + 1) % len(s.queue)
		q := &s.queue[s.hand]
		if least == nil || q.total() < least.total() || q.total() == least.total() && q.at < least.at {
			least = q
		}
	}
	return least.entry
}

// hold keeps what the request has written so far until it is weighed.
func (c *cell) hold() {
	if w := c.weight(); w != nil {
		w.held = true
	}
}

// weight is that of the entry, if the request has written it and not evicted it
// again for want of any other.
func (c *cell) weight() *weight {
	if !c.written || c.shard.entries[c.at].key != c.key {
		return nil
	}
	return c.shard.weightOf(c.at)
}

func (s *shard) weightOf(i int32) *weight { return &s.queue[s.entries[i].queued].weight }

// weigh is for an op whose outcome is known.
func (c *cell) weigh(op *Op) {
	if w := c.weight(); w != nil && op.fate != untouched {
		w.note(op)
	}
}

// note adds the op, and what it has left of the key's capacity.
func (w *weight) note(op *Op) {
	w.held = false
	w.takes = min(w.takes, math.MaxUint8-1) + 1
	used := op.Limit.Burst - op.Outcome.Remaining
	w.share = fullShare >> (2 * (bits.Len64(uint64(op.Limit.Burst)) - bits.Len64(uint64(used))))
}
