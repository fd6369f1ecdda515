package memory

import "time"

// A sweep is what gives memory back. No decision needs it: an entry that is empty
// is decided as a key never seen.

const (
	sweepEvery = time.Second
	sweepBatch = 256
	// A shard that holds less than an eighth of the entries it once held is
	// copied into a smaller one: neither a map nor a slice shrinks by itself.
	shrinkTo, shrinkFrom = 8, 64
)

func (t *Table) sweepUntilClosed() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.Sweep()
		case <-t.stop:
			return
		}
	}
}

// Sweep forgets every key whose state says nothing any more. No lock is held
// for longer than a short batch takes.
func (t *Table) Sweep() {
	now := t.clock.now()
	for i := range t.shards {
		for t.shards[i].sweep(now, sweepBatch) {
		}
	}
}

// sweep removes up to batch entries that are empty at now, and reports whether
// there may be more.
func (s *shard) sweep(now int64, batch int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range batch {
		if len(s.queue) == 0 {
			if s.entries != nil {
				s.clear()
			}
			return false
		}
		i := s.nearestToEmpty()
		if s.expires(i) > now {
			s.shrink()
			return false
		}
		s.past = max(s.past, now)
		s.remove(i)
	}
	return true
}

// shrink gives back the memory of entries long gone.
func (s *shard) shrink() {
	if len(s.entries) < shrinkFrom || len(s.index) > len(s.entries)/shrinkTo {
		return
	}
	entries, logs, queue := s.entries, s.logs, s.queue
	s.clear()
	s.entries, s.queue = make([]entry, 0, len(queue)), make([]due, 0, len(queue))
	for at, q := range queue { // a heap stays one
		e := entries[q.entry]
		if e.log != 0 {
			log := logs[e.log]
			e.log = s.logSlot()
			s.logs[e.log] = log
		}
		q.entry, e.queued = int32(at), int32(at)
		s.index[e.key] = q.entry
		s.entries, s.queue = append(s.entries, e), append(s.queue, q)
	}
}
