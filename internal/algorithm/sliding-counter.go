package algorithm

// Sliding window counter: two fixed windows, the previous one weighted by how
// much of it the sliding window still covers: prev·(1−e) + cur ≤ L, with e the
// elapsed fraction of the current window. It reads closest to "L per W" at
// constant cost. The idea is widely described as approximate because
// implementations round the weight; here the comparison is exact.

// counter is the state of a sliding counter.
type counter struct {
	start  int64 // of the current window, µs
	period int64 // W, µs
	prev   int64 // costs admitted in the window before
	cur    int64 // costs admitted in the current window
}

func (s *State) counter() counter { return counter{s.stamp, s.a, s.b, s.c} }

func (c counter) state() (s State) {
	c.write(&s)
	return s
}

func (c counter) write(s *State) {
	s.layout, s.stamp, s.a, s.b, s.c, s.d = counterLayout, c.start, c.period, c.prev, c.cur, 0
}

// end is the instant from which neither window weighs anything.
func (c counter) end() int64 {
	if c.cur > 0 {
		return c.start + 2*c.period
	}
	return c.start + c.period
}

// turn moves the windows on to the one that holds now.
func (c counter) turn(now int64) counter {
	start := now - now%c.period
	switch {
	case start <= c.start:
		return c
	case start == c.start+c.period:
		return counter{start, c.period, c.cur, 0}
	default:
		return counter{start: start, period: c.period}
	}
}

// used is the weighted count at now, rounded up.
func (c counter) used(now int64) int64 {
	elapsed := max(0, now-c.start)
	return c.cur + c.prev - mulDivFloor(c.prev, elapsed, c.period, c.prev)
}

// counterAt is the state as it counts at now, and whether it had to be
// rewritten for it. A start after the current one (the clock stepped back)
// becomes the current one with its counts. A state of another period hands what
// it has used to the current window of the new one, up to the largest count
// there can be: a step back and a new period together could exceed it.
func (l *Limit) counterAt(s *State, now int64) (c counter, rewritten bool) {
	c = s.counter()
	if s.layout == counterLayout && c.period == l.Period && c.start <= now && now < c.start+c.period {
		return c, false // as is mostly so: without a division
	}
	current := counter{start: now - now%l.Period, period: l.Period}
	if s.layout != counterLayout {
		return current, false
	}
	if c.period != l.Period {
		current.cur = min(c.turn(now).used(now), MaxCounterCount)
		return current, current.cur > 0
	}
	if c.start > current.start {
		c.start = current.start
		return c, true
	}
	return c.turn(now), false
}

func (l *Limit) takeCounter(s *State, now, n int64) (admitted bool) {
	c, rewritten := l.counterAt(s, now)
	if admitted = l.counterAdmits(c, now, n); admitted {
		c.cur += n
	}
	if admitted || rewritten {
		c.write(s)
	}
	return admitted
}

// counterAdmits is prev·(W−e) ≤ (L−cur−n)·W, without a quotient.
func (l *Limit) counterAdmits(c counter, now, n int64) bool {
	if n > l.Count {
		return false
	}
	room := l.Count - c.cur - n
	return room >= 0 && productAtMost(c.prev, c.start+l.Period-now, room, l.Period)
}

func (l *Limit) readCounter(s *State, now, n int64) Outcome {
	c, _ := l.counterAt(s, now)
	o := Outcome{Remaining: max(0, l.Count-c.used(now))}
	if c.cur > 0 || c.prev > 0 {
		o.Reset = c.end() - now
	}
	switch room := l.Count - c.cur - n; {
	case n > l.Count:
		o.Wait = Never
	case l.counterAdmits(c, now, n):
	case room >= 0: // within this window prev decays to the room there is
		o.Wait = c.start + mulAddDivCeil(c.prev-room, l.Period, 0, c.prev) - now
	default: // in the next window, where cur is what decays
		o.Wait = c.start + l.Period + mulAddDivCeil(-room, l.Period, 0, c.cur) - now
	}
	return o
}

// refundCounter gives back where the window that was charged still counts: as
// the current one, or as the previous one after a turn.
func (l *Limit) refundCounter(s State, now int64, ch Charge) (State, bool) {
	c := s.counter()
	charged := ch.At - ch.At%l.Period
	if c.period != l.Period || now >= charged+2*l.Period {
		return s, false
	}
	count := &c.cur
	switch charged {
	case c.start:
	case c.start - c.period:
		count = &c.prev
	default:
		return s, false
	}
	if *count == 0 {
		return s, false
	}
	*count -= min(*count, ch.Cost)
	return c.state(), true
}
