package lease

import (
	"context"

	"github.com/weirhq/weir"
)

// plain asks the store. Where one check is refused that would pass if this process
// held nothing of its key, that is given back and the store asked again: the first
// call charged nothing. Of several checks it may have charged some.
func (s *Store) plain(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	err := s.primary.Take(ctx, checks, results)
	if err != nil || len(checks) != 1 || results[0].Allowed || checks[0].Peek || checks[0].Limit.Lease() == 0 {
		return err
	}
	back := s.reclaim(&checks[0], results[0].Remaining)
	if back == nil || !s.giveBack(ctx, back) {
		return nil
	}
	return s.primary.Take(ctx, checks, results)
}

// reclaim ends the lease that a check lacks.
func (s *Store) reclaim(c *weir.Check, remaining int64) []weir.Charge {
	hash := s.hash(&c.Key)
	shard := s.shard(hash)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if l := shard.by[hash]; l != nil && l.key == c.Key && remaining+l.left >= c.Cost {
		return l.end()
	}
	return nil
}
