package algorithm

// Log is the state of a sliding log: what was admitted and when, oldest first.
// At most L in any (t−W, t]; an entry of age exactly W has left. It is the one
// rule without approximation or boundary, and its memory follows what it
// admitted, never the limit. The zero value is a key that was never seen.
//
// Entries that have left are dropped when something is admitted, not before: a
// refusal and a peek change nothing.
type Log struct {
	ring   []entry // power-of-two length
	head   int
	size   int
	sum    int64 // of all entries' costs, those that have left included
	period int64 // W of the limit that last took here, µs
}

type entry struct {
	stamp int64 // µs
	cost  int64 // ≥ 1
}

func (g *Log) at(i int) *entry { return &g.ring[(g.head+i)&(len(g.ring)-1)] }

// Len is the number of entries held, those that have left included.
func (g *Log) Len() int { return g.size }

// Stamp is the newest instant the log knows of, µs; 0 for an empty one.
func (g *Log) Stamp() int64 {
	if g.size == 0 {
		return 0
	}
	return g.at(g.size - 1).stamp
}

// Expires is the instant from which the log says nothing any more; 0 if empty.
func (g *Log) Expires() int64 {
	if g.size == 0 {
		return 0
	}
	return g.Stamp() + g.period
}

// live is the number of leading entries that have left (t−W, t], and the sum of
// the others. A log that has expired is empty under a longer period too: whether
// its key had been forgotten by then would decide.
func (g *Log) live(l *Limit, now int64) (left int, sum int64) {
	if g.Expires() <= now {
		return g.size, 0
	}
	sum = g.sum
	for ; left < g.size; left++ {
		e := g.at(left)
		if e.stamp > now-l.Period {
			break
		}
		sum -= e.cost
	}
	return left, sum
}

// Admits reports whether a call of cost n ≥ 0 would pass at now, on top of
// pending costs that the same request has already claimed.
func (g *Log) Admits(l *Limit, now, n, pending int64) bool {
	if n == 0 || n > l.Count {
		return n == 0
	}
	_, sum := g.live(l, now)
	return sum+pending <= l.Count-n
}

// Take decides a call of cost n ≥ 0 at now; see [Limit.Take] for what a refusal
// may change.
func (g *Log) Take(l *Limit, now, n int64) bool {
	if n == 0 || l.Count == 0 {
		return n == 0
	}
	g.Settle(l, now)
	left, sum := g.live(l, now)
	if n > l.Count || sum > l.Count-n {
		return false
	}
	g.head, g.size, g.sum, g.period = g.head+left, g.size-left, sum, l.Period
	g.push(entry{now, n})
	return true
}

// Settle does what a refusal may do: it brings entries from the future to now
// and notes the period, by which the key's lifetime is known. It does not bring
// an expired log back to life.
func (g *Log) Settle(l *Limit, now int64) {
	if g.Expires() <= now {
		return
	}
	g.period = l.Period
	for i := g.size - 1; i >= 0 && g.at(i).stamp > now; i-- {
		g.at(i).stamp = now
	}
}

func (g *Log) push(e entry) {
	if want := ringFor(g.size + 1); want > len(g.ring) || 4*want <= len(g.ring) {
		ring := make([]entry, want)
		for i := range g.size {
			ring[i] = *g.at(i)
		}
		g.ring, g.head = ring, 0
	}
	g.head &= len(g.ring) - 1
	g.size++
	*g.at(g.size - 1) = e
	g.sum += e.cost
}

// ringFor is the ring's length for size entries: a power of two, at least 4.
func ringFor(size int) int {
	n := 4
	for n < size {
		n *= 2
	}
	return n
}

// Read describes the key at now for a call of cost n ≥ 0; see [Limit.Read].
func (g *Log) Read(l *Limit, now, n int64) Outcome {
	if l.Count == 0 {
		return Outcome{Wait: Never}
	}
	n = max(n, 1)
	left, sum := g.live(l, now)
	o := Outcome{Remaining: max(0, l.Count-sum)}
	if left < g.size {
		o.Reset = min(g.Stamp(), now) + l.Period - now
	}
	switch {
	case n > l.Count:
		o.Wait = Never
	case n > o.Remaining:
		for need := sum + n - l.Count; need > 0; left++ {
			need -= g.at(left).cost
			o.Wait = min(g.at(left).stamp, now) + l.Period - now
		}
	}
	return o
}

// Refund removes the entry that the charge made, if it is still there, and says
// whether it was.
func (g *Log) Refund(c Charge) bool {
	for i := g.size - 1; i >= 0 && g.at(i).stamp >= c.At; i-- {
		if *g.at(i) != (entry{c.At, c.Cost}) {
			continue
		}
		for ; i+1 < g.size; i++ {
			*g.at(i) = *g.at(i + 1)
		}
		g.size--
		g.sum -= c.Cost
		return true
	}
	return false
}
