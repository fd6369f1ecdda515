package memory

import (
	"slices"

	"github.com/weirhq/weir/internal/algorithm"
)

// fate is what a request decided to do about an op's state.
type fate uint8

const (
	untouched fate = iota // it was peeked, or not charged because another refused
	settled               // it was refused: only what a refusal may change
	charged               // its cost is taken
)

// Request is a set of ops that are decided together, and what deciding them
// needs. It may be used again, once its Ops are set anew; the zero value is ready.
type Request struct {
	Ops []Op

	locks []uint32

	seats  []seat // of Ops, if all of them are seated
	seated bool
	cells  []cell // else: independent ops of the same key share one
	of     []int  // Ops[i] claims from cells[of[i]]

	now     int64
	refused bool // an enforced group refused
	waiting bool // groups charged only if all admit have claimed
}

// Take decides all ops at one instant, which it returns.
func (t *Table) Take(r *Request) int64 {
	r.lock(t)
	defer r.unlock(t)
	r.now, r.refused, r.waiting = t.clock.now(), false, false
	if r.seated = r.sit(t); r.seated {
		r.takeSeated()
	} else {
		r.takeInCells(t)
	}
	return r.now
}

func (r *Request) takeInCells(t *Table) {
	r.load(t)
	r.decide()
	r.commit()
	r.close()
}

func (r *Request) lock(t *Table) {
	r.locks = r.locks[:0]
	for i := range r.Ops {
		r.locks = append(r.locks, t.shardOf(r.Ops[i].Key))
	}
	slices.Sort(r.locks)
	r.locks = slices.Compact(r.locks)
	for _, s := range r.locks {
		t.shards[s].mu.Lock()
	}
}

func (r *Request) unlock(t *Table) {
	for _, s := range r.locks {
		t.shards[s].mu.Unlock()
	}
}

func (r *Request) load(t *Table) {
	r.cells, r.of = r.cells[:0], r.of[:0]
	for i := range r.Ops {
		op := &r.Ops[i]
		at := r.cellOf(op)
		if at == len(r.cells) {
			c := r.newCell()
			c.load(&t.shards[t.shardOf(op.Key)], op)
			r.now = max(r.now, c.shard.past, c.stamp())
		}
		r.of = append(r.of, at)
	}
	for i := range r.Ops {
		r.cells[r.of[i]].begin(&r.Ops[i], r.now)
	}
}

// newCell is one more cell, whatever is in it: a cell is 30 words, and copying it
// here took a fifth of a decision.
func (r *Request) newCell() *cell {
	n := len(r.cells)
	r.cells = slices.Grow(r.cells, 1)[:n+1]
	return &r.cells[n]
}

// cellOf is the index of the op's cell, or of the one to be made for it.
func (r *Request) cellOf(op *Op) int {
	for i := range r.cells {
		if c := &r.cells[i]; c.key == op.Key && (c.log != nil) == isLog(op) {
			return i
		}
	}
	return len(r.cells)
}

// decide goes through the groups in order.
func (r *Request) decide() {
	for start := 0; start < len(r.Ops); {
		end := start + 1
		for end < len(r.Ops) && r.Ops[end].Group == r.Ops[start].Group {
			end++
		}
		switch {
		case r.Ops[start].Charging == Independent:
			r.decideEach(start, end)
		case r.refused:
			r.peek(start, end)
		default:
			r.decideGroup(start, end)
		}
		start = end
	}
	if r.refused && r.waiting {
		r.giveBackAdmitted()
	}
}

func (r *Request) claim(i int) bool {
	op := &r.Ops[i]
	if !r.seated {
		op.Allowed = r.cells[r.of[i]].claim(op, r.now)
	}
	op.fate = op.ownFate()
	return op.Allowed
}

// ownFate is what becomes of an op that nothing is said of by its group or others.
func (op *Op) ownFate() fate {
	switch {
	case op.Peek:
		return untouched
	case op.Allowed:
		return charged
	}
	return settled
}

// decideEach decides and charges every op alone.
func (r *Request) decideEach(start, end int) {
	for i := start; i < end; i++ {
		if !r.claim(i) && !r.Ops[i].Shadow {
			r.refused = true
		}
	}
}

// peek answers ops after a refusal: whether they would pass, nothing charged.
func (r *Request) peek(start, end int) {
	for i := start; i < end; i++ {
		op := &r.Ops[i]
		asked := op.Peek
		op.Peek = true
		r.claim(i)
		op.Peek = asked
	}
}

func isLog(op *Op) bool { return op.Limit.Kind == algorithm.SlidingLog }

// decideGroup claims all or none. In a group that fails, those who pass are left
// as they were found, unless they count refused calls too.
func (r *Request) decideGroup(start, end int) {
	passes := true
	for i := start; i < end; i++ {
		if !r.claim(i) {
			passes = false
		}
	}
	if passes {
		r.waiting = r.waiting || r.Ops[start].Charging == Admitted
		return
	}
	r.refused = r.refused || !r.Ops[start].Shadow
	for i := start; i < end; i++ {
		r.release(i)
	}
}

// giveBackAdmitted takes back what groups claimed that are charged only if every
// group admits.
func (r *Request) giveBackAdmitted() {
	for i := range r.Ops {
		if r.Ops[i].Charging == Admitted {
			r.release(i)
		}
	}
}

// release leaves an op that passes uncharged, unless it counts refused calls
// too. No other op has claimed from its key: only independent ones share one.
func (r *Request) release(i int) {
	if op := &r.Ops[i]; op.fate == charged && !op.Limit.CountAll {
		op.fate = untouched
		if !r.seated {
			r.cells[r.of[i]].release()
		}
	}
}

// commit writes all cells and then describes every op by the states that are
// left.
func (r *Request) commit() {
	for i := range r.Ops {
		c := &r.cells[r.of[i]]
		c.commit(&r.Ops[i], r.now)
		c.hold()
	}
	for i := range r.Ops {
		op := &r.Ops[i]
		op.Outcome = r.cells[r.of[i]].read(op, r.now)
		r.cells[r.of[i]].weigh(op)
	}
}

func (r *Request) close() {
	for i := range r.cells {
		r.cells[i].close(r.now)
	}
}
