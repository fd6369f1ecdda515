package lease

import "github.com/weirhq/weir"

// NewStill gives nothing back by itself: see Sweep. A refund that another goroutine
// makes would reach the server with an instant before the last one, which no
// server's clock does.
func NewStill(primary weir.Store, o Options) *Store { return newStore(primary, o) }

// Sweep is what the sweeper does every 100 ms.
func Sweep(s *Store) { s.endLeases(false) }

// Held is how many requests this process holds of all keys, and of how many keys
// it knows.
func Held(s *Store) (requests int64, keys int) {
	for i := range s.shards {
		shard := &s.shards[i]
		shard.mu.Lock()
		for _, l := range shard.by {
			requests += l.left
			keys++
		}
		shard.mu.Unlock()
	}
	return requests, keys
}
