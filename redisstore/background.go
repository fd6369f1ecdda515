package redisstore

import (
	"sync"
	"sync/atomic"
)

// background is what goes on after a call, until the store is closed.
type background struct {
	closed  atomic.Bool
	mu      sync.Mutex // of starting, against closing
	running sync.WaitGroup
}

// start runs f in a goroutine of its own; false where the store is closed, and then
// it does not.
func (b *background) start(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed.Load() {
		return false
	}
	b.running.Go(f)
	return true
}

func (b *background) close() {
	b.mu.Lock()
	b.closed.Store(true)
	b.mu.Unlock()
	b.running.Wait()
}
