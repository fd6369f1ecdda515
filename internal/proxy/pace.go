package proxy

import "time"

// pace moves a deadline along while there is progress. It does not for every
// piece: a quarter of the time may have passed since it last did. The zero time
// is never, so the first piece counts.
type pace struct {
	timeout time.Duration
	last    time.Time
}

// extend reports whether the deadline is due to be set, and to what.
func (p *pace) extend() (deadline time.Time, due bool) {
	now := time.Now()
	if now.Sub(p.last) < p.timeout/4 {
		return time.Time{}, false
	}
	p.last = now
	return now.Add(p.timeout), true
}
