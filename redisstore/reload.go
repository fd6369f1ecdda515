package redisstore

import (
	"context"
	"sync"
	"sync/atomic"
)

// reloader asks again after NOSCRIPT: the server was restarted, its scripts were
// flushed, or a fail-over or a moved slot led to one that never had them.
// NOSCRIPT is an answer (nothing was executed), so asking again charges nothing
// twice.
//
// Of the callers that meet it at the same time one sends the script's body, with
// its own request; the others wait and then ask by name. Where their node or
// their script is another one they meet NOSCRIPT again, and one of them is next.
type reloader struct {
	loads atomic.Int64 // how often a body has arrived

	mu      sync.Mutex
	leading chan struct{} // closed when the body that is on its way has arrived
}

// maxReloads is how often one call goes round. Whoever flushes scripts all the
// time can win a race or two.
const maxReloads = 50

// again is for a call that met NOSCRIPT, given two ways to make it, by name and
// with the body, and what loads was before it was made.
func (r *reloader) again(ctx context.Context, loads int64, byName, byBody func() (string, error)) (string, error) {
	for attempt := 1; ; attempt++ {
		arriving, done := r.lead(loads)
		switch {
		case done != nil:
			reply, err := byBody()
			done(err)
			return reply, err
		case arriving != nil:
			select {
			case <-arriving:
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		loads = r.loads.Load()
		reply, err := byName()
		if !isNoScript(err) || attempt == maxReloads {
			return reply, err
		}
	}
}

// lead makes the caller the one that sends the body, and done ends that. Where
// somebody else is sending it, arriving tells when it is there. Where somebody
// has since the caller asked, both are nil: it is there already.
func (r *reloader) lead(loads int64) (arriving <-chan struct{}, done func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leading != nil || r.loads.Load() != loads {
		return r.leading, nil
	}
	leading := make(chan struct{})
	r.leading = leading
	return leading, func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if err == nil {
			r.loads.Add(1)
		}
		r.leading = nil
		close(leading)
	}
}
