package memory

import "github.com/weirhq/weir/internal/algorithm"

// cell is a key's state while a request decides on it: a copy, written back
// only once the verdict is known. A log is not copied: what the request has
// claimed of it is pending.
type cell struct {
	shard *shard
	key   Key
	at    int32 // entry index, or absent
	// written says that the entry is the cell's as it is now.
	written bool
	// tag is that of the slot which the cell keeps locked; 0 for none.
	tag uint64
	// direct says that a TAT is decided on, a slot's own or that of a key never seen:
	// it is of the rate with the number id. Otherwise the state below is.
	direct bool
	id     uint32
	held

	state    algorithm.State // as claimed so far
	original algorithm.State // as found

	log     *algorithm.Log // nil unless the limit is a log; never nil then
	pending int64          // costs claimed of the log
}

const absent int32 = -1

// noLog stands for the log of a key never seen; it is only read.
var noLog algorithm.Log

// load makes the cell that of the op's key. A state of another kind than the
// limit's (the algorithm was changed under a live key) counts as none.
func (c *cell) load(s *shard, op *Op) {
	*c = cell{}
	c.shard, c.key, c.at = s, op.Key, absent
	if isLog(op) {
		c.log = &noLog
	} else if slot, found := s.flat.findAny(op.Key); found && op.Limit.IsBucket() {
		c.tag = slot.tag().Load()
		c.seize(&s.flat, slot)
		c.direct, c.id = true, uint32(c.tag&idMask)
		return
	}
	if i, found := s.index[op.Key]; found {
		c.at = i
		c.loadEntry(&s.entries[i])
	}
}

func (c *cell) loadEntry(e *entry) {
	switch {
	case c.log == nil:
		c.state, c.original = e.state, e.state
	case e.log != 0:
		c.log = c.shard.logs[e.log]
	}
}

// begin gives a cell that was found nowhere what its key begins with at now.
func (c *cell) begin(op *Op, now int64) {
	id := op.Limit.CompactID()
	if id == 0 || c.direct || c.at != absent {
		return
	}
	c.direct, c.id, c.last = true, id, now
	c.found = c.shard.flat.spilled.inherited(tagOf(c.key, id), op.Limit, now)
	c.tat = c.found
}

// expand makes states of the TAT as it was and as claimed until now, for a limit of
// another rate.
func (c *cell) expand(now int64) {
	limit := &algorithm.CompactLimits()[c.id]
	c.original = limit.Expand(c.found, c.last)
	c.state = c.original
	if c.tat != c.found {
		c.state = limit.Expand(c.tat, now)
	}
	c.direct = false
}

// close lets others to the slot, with what was taken.
func (c *cell) close(now int64) {
	switch slot, found := c.shard.flat.again(&c.held, c.tag); {
	case !found:
	case c.direct && c.taken:
		slot.last().Store(now)
		slot.set(c.tat)
	default:
		slot.unlock()
	}
}

func (c *cell) stamp() int64 {
	switch {
	case c.log != nil:
		return c.log.Stamp()
	case c.direct:
		return c.last
	}
	return c.original.Stamp()
}

// claim decides the op on top of what the request has claimed already and, if
// the op takes, claims its cost. A refused op may change the claimed state too:
// see [algorithm.Limit.Take].
func (c *cell) claim(op *Op, now int64) bool {
	if c.log != nil {
		admitted := c.log.Admits(op.Limit, now, op.Cost, c.pending)
		if admitted && !op.Peek {
			c.pending += op.Cost
		}
		return admitted
	}
	if c.direct && c.id != op.Limit.CompactID() {
		c.expand(now) // the limit's rate was changed, or there are two of one key
	}
	if c.direct {
		return c.claimTAT(op, now)
	}
	state, admitted := op.Limit.Take(c.state, now, op.Cost)
	if !op.Peek {
		c.state = state
		if admitted && op.Cost > 0 {
			op.Charge = op.Limit.Charged(state, now, op.Cost)
		}
	}
	return admitted
}

func (c *cell) claimTAT(op *Op, now int64) bool {
	tat, admitted := op.Limit.TakeTAT(c.tat, now, op.Cost)
	if admitted && op.Cost > 0 && !op.Peek {
		c.tat = tat
		op.Charge = op.Limit.ChargedTAT(tat, now, op.Cost)
	}
	return admitted
}

// release takes back what was claimed.
func (c *cell) release() { c.state, c.tat, c.pending = c.original, c.found, 0 }

// commit writes what the op's fate left: for a log the op's own entry, otherwise
// the state after all claims.
func (c *cell) commit(op *Op, now int64) {
	op.Charged = op.fate == charged && op.Cost > 0
	if op.fate == untouched || op.Cost == 0 || op.Limit.Count == 0 {
		return
	}
	if c.log != nil {
		c.commitLog(op, now)
		return
	}
	if c.direct {
		c.commitTAT(now)
		return
	}
	if c.state != c.original {
		c.put(op, now)
		c.original = c.state
	}
}

func (c *cell) commitTAT(now int64) {
	if c.tat == c.found {
		return
	}
	c.taken = true
	if c.tag == 0 {
		c.tag = tagOf(c.key, c.id)
		c.shard.putTAT(c.key, 0, c.tag, c.tat, now, now)
	}
}

// put writes the state where its limit has it.
func (c *cell) put(op *Op, now int64) {
	if tat, last, compact := op.Limit.Contract(c.state); compact {
		tag := tagOf(c.key, op.Limit.CompactID())
		c.shard.putTAT(c.key, c.tag, tag, tat, last, now)
		c.at, c.tag, c.all = absent, tag, nil
		return
	}
	c.at, c.written = c.shard.put(c.key, c.at, now, c.state), true
	c.tag = 0 // its slot is gone
}

func (c *cell) commitLog(op *Op, now int64) {
	switch {
	case op.fate == charged:
		if c.log == &noLog {
			c.log = &algorithm.Log{}
		}
		c.log.Take(op.Limit, now, op.Cost)
		op.Charge = algorithm.Charge{Cost: op.Cost, At: now}
	case c.log == &noLog:
		return
	default:
		c.log.Settle(op.Limit, now)
	}
	c.at, c.written = c.shard.putLog(c.key, c.at, now, c.log), true
}

// read describes the key as it is left, for a call of the op's cost.
func (c *cell) read(op *Op, now int64) algorithm.Outcome {
	if c.log != nil {
		return c.log.Read(op.Limit, now, op.Cost)
	}
	if c.direct {
		return op.Limit.ReadTAT(c.tat, now, op.Cost)
	}
	return op.Limit.Read(c.state, now, op.Cost)
}
