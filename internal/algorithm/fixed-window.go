package algorithm

// Fixed window: at most L per window [kW, (k+1)W), the windows aligned to the
// Unix epoch. It is the cheapest rule and the loosest: around a boundary up to
// 2·L pass within one W.

// window is the state of a fixed window.
type window struct {
	start  int64 // of the window that count belongs to, µs
	period int64 // W, µs
	count  int64 // costs counted
}

func (s *State) window() window { return window{s.stamp, s.a, s.b} }

func (w window) state() (s State) {
	w.write(&s)
	return s
}

func (w window) write(s *State) {
	s.layout, s.stamp, s.a, s.b, s.c, s.d = windowLayout, w.start, w.period, w.count, 0, 0
}

func (w window) end() int64 { return w.start + w.period }

// windowAt is the state as it counts at now, and whether it had to be rewritten
// for it. A start after the current one keeps its count: the clock stepped
// back, or a shorter window that lies within a longer new one is counting. One
// that has ended does not count again under a longer period: whether its key had
// been forgotten by then would decide.
func (l *Limit) windowAt(s *State, now int64) (w window, rewritten bool) {
	current := window{start: now - now%l.Period, period: l.Period}
	if s.layout != windowLayout {
		return current, false
	}
	w = s.window()
	if w.start < current.start || w.end() <= now {
		return current, false
	}
	rewritten = w.start > current.start || w.period != l.Period
	current.count = w.count
	return current, rewritten
}

func (l *Limit) takeWindow(s *State, now, n int64) (admitted bool) {
	w, rewritten := l.windowAt(s, now)
	admitted = n <= l.Count-w.count
	switch {
	case admitted:
		w.count += n
	case l.CountAll:
		w.count = saturatingSum(w.count, n)
	case !rewritten:
		return false
	}
	w.write(s)
	return admitted
}

// saturatingSum keeps the count of refused calls where a double holds it.
func saturatingSum(count, n int64) int64 {
	if n > MaxWindowCount-count {
		return MaxWindowCount
	}
	return count + n
}

func (l *Limit) readWindow(s *State, now, n int64) Outcome {
	w, _ := l.windowAt(s, now)
	o := Outcome{Remaining: max(0, l.Count-w.count), Reset: w.end() - now, Overrun: w.count > l.Count}
	switch {
	case n > l.Count:
		o.Wait = Never
	case n > o.Remaining:
		o.Wait = o.Reset
	}
	return o
}

// refundWindow gives back while the window that was charged is still the one
// that counts.
func (l *Limit) refundWindow(s State, now int64, c Charge) (State, bool) {
	w := s.window()
	if w.period != l.Period || w.start != c.At-c.At%l.Period || w.end() <= now || w.count == 0 {
		return s, false
	}
	w.count -= min(w.count, c.Cost)
	return w.state(), true
}
