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
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			s.giveBack(ctx, s.collect(false))
			cancel()
		case <-s.stop:
			return
		}
	}
}

// collect ends the leases that are too old, or all.
func (s *Store) collect(all bool) (back []weir.Charge) {
	now := s.now()
	for i := range s.shards {
		shard := &s.shards[i]
		shard.mu.Lock()
		for hash, l := range shard.by {
			switch {
			case l.asking:
			case all:
				back = append(back, l.end()...)
				delete(shard.by, hash)
			case now >= l.ends:
				back = append(back, l.end()...)
				if l.wish < hot || now >= l.ends+lifetime(l.limit) {
					delete(shard.by, hash)
				}
			}
		}
		shard.mu.Unlock()
	}
	return back
}

// giveBack refunds one after the other, and stops where the store does not answer.
func (s *Store) giveBack(ctx context.Context, back []weir.Charge) {
	for i := range back {
		gave, err := s.primary.Refund(ctx, weir.NewID(), back[i:i+1])
		if err != nil {
			return
		}
		if gave {
			s.stats.back.Add(back[i].Cost)
		}
	}
}

// forget ends the lease of a key that was reset: what is left of it was of a state
// that is gone.
func (s *Store) forget(k *weir.Key) {
	hash := s.hash(k)
	shard := s.shard(hash)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if l := shard.by[hash]; l != nil && l.key == *k {
		l.gone, l.left = true, 0
		delete(shard.by, hash)
	}
}
