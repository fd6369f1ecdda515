package memory

import "time"

// clock gives µs since the Unix epoch. It begins at the wall clock's time and is
// monotonic from then on, unless another is given.
type clock struct {
	given func() int64
	start time.Time
	unix  int64 // of start, µs
}

func newClock(given func() int64) clock {
	now := time.Now()
	return clock{given: given, start: now, unix: now.UnixMicro()}
}

func (c *clock) now() int64 {
	if c.given != nil {
		return c.given()
	}
	return c.unix + time.Since(c.start).Microseconds()
}
