package daemon

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/weirhq/weir/redisstore"
)

// planSource answers which plan an API key has, from a Redis hash that the
// configuration names. It is there before the store is, and stays when a reload
// names another hash. Until there is a copy of the hash no key is listed.
type planSource struct {
	current atomic.Pointer[redisstore.Plans]

	mu    sync.Mutex
	store *redisstore.Store
	hash  string
}

// Plan implements policy.PlanSource.
func (p *planSource) Plan(key string) (name string, listed bool) {
	if plans := p.current.Load(); plans != nil {
		return plans.Plan(key)
	}
	return "", false
}

// on says which store to ask.
func (p *planSource) on(store *redisstore.Store) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.store = store
}

// follow copies the hash from now on; "" is none. Without a shared store there is
// nothing to follow.
func (p *planSource) follow(hash string, log *slog.Logger) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store == nil || hash == p.hash {
		return
	}
	var plans *redisstore.Plans
	if hash != "" {
		var err error
		if plans, err = p.store.Plans(hash); err != nil {
			log.Error("store: the plans cannot be read; no API key is listed until they are", "hash", hash, "because", err)
		}
	}
	p.hash = hash
	if old := p.current.Swap(plans); old != nil {
		old.Close()
	}
}

func (p *planSource) close() {
	if plans := p.current.Swap(nil); plans != nil {
		plans.Close()
	}
}
