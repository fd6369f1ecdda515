package daemon

import (
	"time"

	"github.com/weirhq/weir/internal/admin"
)

// Status is what /readyz tells: ready as long as a valid configuration decides
// and no drain has begun, even if a newer file was refused.
func (e *Engine) Status() admin.Status {
	e.mu.Lock()
	refused := e.refused
	e.mu.Unlock()
	now := e.current.Load()
	return admin.Status{
		Ready: !e.draining.Load(),
		Config: admin.ConfigStatus{
			Valid: refused == "", File: now.file, LoadedAt: now.at.UTC().Format(time.RFC3339),
			Error: refused, Warnings: len(now.warnings),
		},
		Store: e.store.status(),
	}
}

// status tells of the store. While it does not answer, on_error decides: that is
// what the policy says, and weir stays ready.
func (b *backend) status() admin.StoreStatus {
	s := admin.StoreStatus{Kind: b.kind, Reachable: true, Keys: b.keys()}
	if b.stats == nil {
		return s
	}
	stats := b.stats()
	s.Breaker, s.Degraded = stats.State, stats.Degraded
	if s.Reachable = stats.State == "closed"; !s.Reachable {
		s.LastFailure = stats.LastFailure
	}
	return s
}
