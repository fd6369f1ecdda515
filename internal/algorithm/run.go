package algorithm

// Calls are several of one cost at one instant. Where Times is above 1 the cost is 1.
type Calls struct{ At, Cost, Times int64 }

// Run is Take for many calls of one key, none earlier than the one before nor than
// what the state has seen. It returns a state that decides as the one would that they
// leave, and how many were refused. With the state kept in registers it costs a third
// of as many calls of Take; a replay runs each request under many limits.
func (l *Limit) Run(s State, calls []Calls) (State, int64) {
	if len(calls) == 0 {
		return s, 0
	}
	switch {
	case l.Kind == SlidingCounter:
		return l.runCounter(s, calls)
	case l.IsBucket():
		return l.runBucket(s, calls)
	}
	return l.runWindow(s, calls)
}

func (l *Limit) runWindow(s State, calls []Calls) (_ State, refused int64) {
	w, _ := l.windowAt(&s, calls[0].At)
	for i := range calls {
		c := &calls[i]
		if c.At >= w.end() {
			w = window{start: c.At - c.At%l.Period, period: l.Period}
		}
		fit := fitting(c, l.Count-w.count)
		w.count += fit * c.Cost
		refused += c.Times - fit
		for range c.Times - fit {
			if !l.CountAll {
				break
			}
			w.count = saturatingSum(w.count, c.Cost)
		}
	}
	return w.state(), refused
}

func (l *Limit) runCounter(s State, calls []Calls) (_ State, refused int64) {
	at, _ := l.counterAt(&s, calls[0].At)
	for i := range calls {
		c := &calls[i]
		if c.At >= at.start+at.period {
			at = at.turn(c.At)
		}
		fit := int64(0)
		switch {
		case c.Times > 1:
			fit = fitting(c, l.Count-at.used(c.At))
		case l.counterAdmits(at, c.At, c.Cost):
			fit = 1
		}
		at.cur += fit * c.Cost
		refused += c.Times - fit
	}
	return at.state(), refused
}

func (l *Limit) runBucket(s State, calls []Calls) (_ State, refused int64) {
	b, _ := l.bucketAt(s, calls[0].At)
	for i := range calls {
		c := &calls[i]
		if c.At > b.last {
			b = b.leak(c.At - b.last).at(c.At)
		}
		fit := fitting(c, b.room(l.Burst))
		b.whole += fit * c.Cost
		refused += c.Times - fit
	}
	return b.state(), refused
}

// fitting is how many of the calls pass where there is room for so many requests.
func fitting(c *Calls, room int64) int64 {
	switch {
	case c.Cost <= room && c.Times == 1:
		return 1
	case c.Times == 1:
		return 0
	}
	return max(0, min(room, c.Times))
}

// Run is [Limit.Run] for a log.
func (g *Log) Run(l *Limit, calls []Calls) (refused int64) {
	for i := range calls {
		c := &calls[i]
		if c.Times == 1 {
			if !g.Take(l, c.At, c.Cost) {
				refused++
			}
			continue
		}
		_, sum := g.live(l, c.At)
		fit := fitting(c, l.Count-sum)
		g.Take(l, c.At, fit) // as one entry: at one instant it makes no difference
		refused += c.Times - fit
	}
	return refused
}
