package memory

import "github.com/weirhq/weir/internal/algorithm"

// Refund is one charge to give back.
type Refund struct {
	Key    Key
	Limit  *algorithm.Limit
	Charge algorithm.Charge
}

// Refund gives back what is left of the charges of decision id, once, and
// reports whether it gave anything.
func (t *Table) Refund(id uint64, charges []Refund) bool {
	if len(charges) == 0 || !t.refunds.put(id, charges[0].Charge.At) {
		return false
	}
	gave := false
	for i := range charges {
		gave = t.refund(&charges[i]) || gave
	}
	return gave
}

func (t *Table) refund(r *Refund) bool {
	s := &t.shards[t.shardOf(r.Key)]
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Charge.At < max(t.start, t.reborn.at(r.Key)) {
		// The key was reset, or charged in another process: what is held now was
		// taken by others.
		return false
	}
	now := max(t.clock.now(), s.past)
	if slot, found := s.flat.findAny(r.Key); found {
		return slot.refund(r, now)
	}
	i, found := s.index[r.Key]
	return found && s.refund(i, r, now)
}

func (s slot) refund(r *Refund, now int64) (gave bool) {
	limit := &algorithm.CompactLimits()[s.tag().Load()&idMask]
	found := s.lock()
	last := s.last().Load()
	state, gave := r.Limit.Refund(limit.Expand(found, last), max(now, last), r.Charge)
	// It is of the same rate, and holds less than it did; but seen from an instant that
	// lags behind a take which is being noted, that may be more than a bucket holds.
	t, _, fits := limit.Contract(state)
	if gave = gave && fits; !gave {
		t = found
	}
	s.set(t)
	return gave
}

func (s *shard) refund(i int32, r *Refund, now int64) bool {
	e := &s.entries[i]
	if e.log != 0 {
		log := s.logs[e.log]
		// The log may hold on to an entry that has left until the next take.
		left := r.Charge.At+log.Expires()-log.Stamp() <= now
		if r.Limit.Kind != algorithm.SlidingLog || left || !log.Refund(r.Charge) {
			return false
		}
		s.reschedule(i)
		return true
	}
	state, gave := r.Limit.Refund(e.state, max(now, e.state.Stamp()), r.Charge)
	if gave {
		s.put(r.Key, i, now, state)
	}
	return gave
}
