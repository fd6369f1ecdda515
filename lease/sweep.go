package lease

import (
	"context"
	"time"

	"github.com/weirhq/weir"
)

const (
	sweepEvery = 100 * time.Millisecond
	// patience is what giving back may take. What is not given back by then
	// drains.
	patience = time.Second
)

// sweep gives back what is too old, until the store is closed.
func (s *Store) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.endLeases(false)
		case <-s.stop:
			return
		}
	}
}

// endLeases gives back what is too old, or all. Where the store does not answer it
// leaves the rest for another time.
func (s *Store) endLeases(all bool) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for i := range s.shards {
		if !s.giveBack(ctx, s.shards[i].collect(s.now(), all)) {
			return
		}
	}
}

// collect ends the leases that are too old, or all.
func (s *shard) collect(now time.Duration, all bool) (back []weir.Charge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, l := range s.by {
		if l.asking || !all && now < l.ends {
			continue
		}
		back = append(back, l.end()...)
		if all || l.wish < hot || now >= l.ends+lifetime(l.limit) {
			delete(s.by, hash)
		}
	}
	return back
}

// giveBack refunds one after the other, and reports whether the store answered.
func (s *Store) giveBack(ctx context.Context, back []weir.Charge) bool {
	for i := range back {
		gave, err := s.primary.Refund(ctx, weir.NewID(), back[i:i+1])
		if err != nil {
			return false
		}
		if gave {
			s.stats.back.Add(back[i].Cost)
		}
	}
	return true
}

// forget ends the lease of a key that was reset: what is left of it was of a state
// that is gone. One that is on its way is not found any more when it arrives.
func (s *Store) forget(k *weir.Key) {
	hash := s.hash(k)
	shard := s.shard(hash)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if l := shard.by[hash]; l != nil && l.key == *k {
		delete(shard.by, hash)
	}
}
