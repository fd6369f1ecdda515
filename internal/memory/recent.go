package memory

import (
	"sync"
	"sync/atomic"
)

// recent remembers what happened to things, and when, in bounded memory: of what
// it has forgotten it knows that it was no later than the horizon.
type recent[K comparable] struct {
	mu      sync.Mutex
	seen    map[K]int64
	order   []K // a ring
	next    int
	horizon int64 // µs
	any     atomic.Bool
}

const maxRecent = 1 << 16

// put notes the thing and reports whether it is news: neither known, nor as old as
// what was forgotten.
func (r *recent[K]) put(k K, at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, known := r.seen[k]; known {
		r.seen[k] = max(before, at)
		return false
	}
	if at <= r.horizon {
		return false
	}
	if r.seen == nil {
		r.seen = map[K]int64{}
	}
	r.seen[k] = at
	r.any.Store(true)
	if len(r.order) < maxRecent {
		r.order = append(r.order, k)
		return true
	}
	forgotten := &r.order[r.next]
	r.horizon = max(r.horizon, r.seen[*forgotten])
	delete(r.seen, *forgotten)
	*forgotten = k
	r.next = (r.next + 1) % len(r.order)
	return true
}

// at is when it happened last, or the horizon: it may have been then.
func (r *recent[K]) at(k K) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.seen[k], r.horizon)
}

// again says that it happened once more to a thing that is known; it costs next to
// nothing while none is.
func (r *recent[K]) again(k K, at int64) {
	if !r.any.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.seen[k]; known {
		r.seen[k] = at
	}
}
