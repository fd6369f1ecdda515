package memory

import (
	"sync"

	"github.com/weirhq/weir/internal/algorithm"
)

// Refund is one charge to give back.
type Refund struct {
	Key    Key
	Limit  *algorithm.Limit
	Charge algorithm.Charge
}

// Refund gives back what is left of the charges of decision id, once, and
// reports whether it gave anything.
func (t *Table) Refund(id uint64, charges []Refund) bool {
	if len(charges) == 0 || !t.refunds.first(id, charges[0].Charge.At) {
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
	i, found := s.index[r.Key]
	return found && s.refund(i, r, max(t.clock(), s.past))
}

func (s *shard) refund(i int32, r *Refund, now int64) bool {
	e := &s.entries[i]
	if r.Charge.At < e.born {
		// The key was reset, forgotten, or charged in another process: what is
		// held now was taken by others.
		return false
	}
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

// refunds remembers which decisions were given back, in bounded memory: when it
// forgets one it also refuses everything decided no later, so that nothing is
// ever given back twice.
type refunds struct {
	mu      sync.Mutex
	seen    map[uint64]struct{}
	order   []refunded // a ring
	next    int
	horizon int64 // µs; decisions up to it are too old to be given back
}

type refunded struct {
	id uint64
	at int64 // of the decision, µs
}

const maxRefunds = 1 << 16

// first notes the decision and reports whether it may be given back.
func (r *refunds) first(id uint64, at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, twice := r.seen[id]; twice || at <= r.horizon {
		return false
	}
	if r.seen == nil {
		r.seen = map[uint64]struct{}{}
	}
	r.seen[id] = struct{}{}
	if len(r.order) < maxRefunds {
		r.order = append(r.order, refunded{id, at})
		return true
	}
	forgotten := &r.order[r.next]
	delete(r.seen, forgotten.id)
	r.horizon = max(r.horizon, forgotten.at)
	*forgotten = refunded{id, at}
	r.next = (r.next + 1) % len(r.order)
	return true
}
