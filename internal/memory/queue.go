package memory

// The queue is a binary heap of entries by the instant at which they are empty.
// A take only moves that instant later, and it moves the hottest keys at every
// call; so a take leaves the queue alone, and an entry found at the front before
// its time is put back then. What moves the instant earlier (a refund, another
// limit) reorders at once.

type due struct {
	at    int64 // µs; never later than the entry's own
	entry int32
	weight
}

func (s *shard) enqueue(i int32) {
	s.queue = append(s.queue, due{entry: i})
	s.entries[i].queued = int32(len(s.queue) - 1)
	s.up(len(s.queue) - 1)
}

func (s *shard) dequeue(at int32) {
	last := len(s.queue) - 1
	s.swap(int(at), last)
	s.queue = s.queue[:last]
	if int(at) < last {
		s.down(int(at))
		s.up(int(at))
	}
}

// reschedule is told of every write to entry i.
func (s *shard) reschedule(i int32) {
	at := s.entries[i].queued
	expires := s.expires(i)
	switch q := &s.queue[at]; {
	case q.at == 0: // just inserted
		q.at = expires
		s.down(int(at))
	case expires < q.at:
		q.at = expires
		s.up(int(at))
	}
}

// nearestToEmpty is the entry that is empty first.
func (s *shard) nearestToEmpty() int32 {
	for {
		front := &s.queue[0]
		expires := s.expires(front.entry)
		if expires <= front.at {
			return front.entry
		}
		front.at = expires
		s.down(0)
	}
}

func (s *shard) swap(a, b int) {
	s.queue[a], s.queue[b] = s.queue[b], s.queue[a]
	s.entries[s.queue[a].entry].queued = int32(a)
	s.entries[s.queue[b].entry].queued = int32(b)
}

func (s *shard) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if s.queue[parent].at <= s.queue[i].at {
			return
		}
		s.swap(parent, i)
		i = parent
	}
}

func (s *shard) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(s.queue) {
			return
		}
		if child+1 < len(s.queue) && s.queue[child+1].at < s.queue[child].at {
			child++
		}
		if s.queue[i].at <= s.queue[child].at {
			return
		}
		s.swap(i, child)
		i = child
	}
}
