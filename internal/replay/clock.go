package replay

import (
	"sync/atomic"
	"time"
)

// clock is the instant that the replay has reached. The store's sweeper reads it
// too, from its own goroutine.
type clock struct{ micros atomic.Int64 }

func (c *clock) now() time.Time { return time.UnixMicro(c.micros.Load()) }

// forward moves the clock to an entry's time, and reports whether that was not
// already past.
func (c *clock) forward(at int64) bool {
	if at < c.micros.Load() {
		return false
	}
	c.micros.Store(at)
	return true
}
