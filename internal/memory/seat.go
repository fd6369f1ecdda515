package memory

import (
	"slices"

	"github.com/weirhq/weir/internal/algorithm"
)

// seat is where an op's key is, if it is there under the op's limit and no other op's of
// the request, and what the op claims of it. Nearly all requests are about such keys
// only. None of their ops sees what another has claimed, so each is decided by itself
// and nothing has to be taken back: three take 0.6 of the time that cells do.
type seat struct {
	shard *shard
	slot        // its bucket is nil where the key has an entry
	entry int32 // an index
	last  int64 // µs: the newest instant that the key has seen

	found, claimed algorithm.TAT   // of a slot
	state          algorithm.State // of an entry, as claimed
}

// sit seats all ops, or none.
func (r *Request) sit(t *Table) bool {
	r.seats = slices.Grow(r.seats[:0], len(r.Ops))[:len(r.Ops)]
	for i := range r.Ops {
		s := &r.seats[i]
		s.shard = &t.shards[t.shardOf(r.Ops[i].Key)]
		if !s.find(&r.Ops[i]) {
			for before := range r.seats[:i] {
				r.seats[before].leave()
			}
			return false
		}
		r.now = max(r.now, s.shard.past, s.last)
	}
	return true
}

// takeSeated goes through the groups only where something refuses: otherwise all that may
// be charged is.
func (r *Request) takeSeated() {
	all := true
	for i := range r.Ops {
		r.seats[i].claim(&r.Ops[i], r.now)
		all = all && r.Ops[i].Allowed
	}
	if !all {
		r.decide()
	}
	for i := range r.Ops {
		r.seats[i].settle(&r.Ops[i], r.now)
	}
}

// takeLone is for a request of one op. It returns the instant.
func (s *seat) takeLone(op *Op, now int64) int64 {
	now = max(now, s.shard.past, s.last)
	s.claim(op, now)
	s.settle(op, now)
	return now
}

// find is false for a key that is not there under the op's limit, or sits already.
func (s *seat) find(op *Op) bool {
	if tag := op.tag(); tag != 0 {
		return s.findSlot(tag)
	}
	s.bucket = nil
	return !isLog(op) && s.findEntry(op.Key)
}

// findSlot locks the slot. That it was locked says that it is seated: the caller has the
// mutex.
func (s *seat) findSlot(tag uint64) (found bool) {
	if s.slot, found = s.shard.flat.find(tag); !found {
		return false
	}
	word := s.word().Or(locked)
	s.found, s.last = tatOf(word), s.slot.last().Load()
	return word&locked == 0
}

// findEntry holds the entry, likewise.
func (s *seat) findEntry(k Key) (found bool) {
	if s.entry, found = s.shard.index[k]; !found {
		return false
	}
	s.last = s.shard.entries[s.entry].state.Stamp()
	w := s.weight()
	seated := w.held
	w.held = true
	return !seated
}

func (s *seat) weight() *weight { return s.shard.weightOf(s.entry) }

// leave lets others to the key, which is as it was.
func (s *seat) leave() {
	if s.bucket != nil {
		s.unlock()
		return
	}
	s.weight().held = false
}

// claim decides the op by itself and writes nothing to the table.
func (s *seat) claim(op *Op, now int64) {
	if s.bucket != nil {
		s.claimed, op.Allowed = op.Limit.TakeTAT(s.found, now, op.Cost)
	} else {
		s.state = s.shard.entries[s.entry].state
		op.Allowed = op.Limit.TakeIn(&s.state, now, op.Cost)
	}
	op.fate = op.ownFate()
}

// settle does to the key what is the op's fate, and lets others to it.
func (s *seat) settle(op *Op, now int64) {
	op.Charged = op.fate == charged && op.Cost > 0
	if s.bucket != nil {
		s.settleSlot(op, now)
	} else {
		s.settleEntry(op, now)
	}
}

func (s *seat) settleSlot(op *Op, now int64) {
	if !op.Charged {
		s.leave()
		op.Outcome = op.Limit.ReadTAT(s.found, now, op.Cost)
		return
	}
	if s.last != now { // as in slot.takeLone
		s.slot.last().Store(now)
	}
	s.set(s.claimed)
	op.Outcome, op.Charge = op.Limit.SettleTAT(s.claimed, now, op.Cost)
}

func (s *seat) settleEntry(op *Op, now int64) {
	before := &s.shard.entries[s.entry].state
	if op.fate == untouched || !op.Charged && s.state == *before {
		s.leave()
		op.Outcome = op.Limit.Read(*before, now, op.Cost)
		return
	}
	s.shard.put(op.Key, s.entry, now, s.state)
	op.Outcome = op.Limit.Read(s.state, now, op.Cost)
	op.Charge = op.Limit.Charged(s.state, now, op.Cost)
	s.weight().note(op)
}
