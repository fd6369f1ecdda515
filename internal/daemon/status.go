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
		Store: admin.StoreStatus{Kind: e.kind, Reachable: true, Keys: e.keys()},
	}
}
