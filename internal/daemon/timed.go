package daemon

import (
	"context"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/trail"
	"github.com/weirhq/weir/redisstore"
)

// timedStore tells how long the store's takes took, failed ones too.
type timedStore struct {
	*redisstore.Store
	metrics *admin.Metrics
	trail   *trail.Trail // the engine's; set before the first decision
}

// Take implements weir.Store.
func (s *timedStore) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	start := time.Now()
	err := s.Store.Take(ctx, checks, results)
	took := time.Since(start)
	s.metrics.StoreTook(took)
	s.trail.Took(took)
	return err
}
