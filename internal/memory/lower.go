package memory

// Lower takes what it takes from the op's key to leave at most so much of its limit,
// ≥ 0: nothing where no more is left. It sets the op's cost to that. It is one step:
// of two at once neither takes what the other has taken.
func (t *Table) Lower(op *Op, most int64) {
	s := &t.shards[t.shardOf(op.Key)]
	s.mu.Lock()
	defer s.mu.Unlock()
	var c cell
	now := c.open(s, op, t.clock.now())
	op.Cost = 0
	c.claim(op, now) // nothing: the state is the limit's then, if it was another's
	op.Cost = max(0, c.read(op, now).Remaining-most)
	c.takeLone(op, now)
}
