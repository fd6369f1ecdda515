package redisstore

import (
	"context"
	"sync"
)

// reloader asks again after NOSCRIPT: the server was restarted, its scripts were
// flushed, or a fail-over or a moved slot led to one that never had them.
// NOSCRIPT is an answer (nothing was executed), so asking again charges nothing
// twice.
//
// Of the callers that meet it at the same time one sends the script's body, with
// its own request; the others wait and then ask by name. Where their node is
// another one they meet NOSCRIPT again, and one of them is next.
type reloader struct {
	mu      sync.Mutex
	leading map[*script]chan struct{}
}

// maxReloads is how often one call goes round. Whoever flushes scripts all the
// time can win a race or two.
const maxReloads = 50

// again is given two ways to make the call, by name and with the body.
func (r *reloader) again(ctx context.Context, s *script, byName, byBody func() (string, error)) (string, error) {
	for attempt := 1; ; attempt++ {
		if done := r.lead(s); done != nil {
			reply, err := byBody()
			done()
			return reply, err
		}
		if err := r.follow(ctx, s); err != nil {
			return "", err
		}
		reply, err := byName()
		if !isNoScript(err) || attempt == maxReloads {
			return reply, err
		}
	}
}

// lead makes the caller the one that sends the body, unless there is one; done
// ends that.
func (r *reloader) lead(s *script) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leading[s] != nil {
		return nil
	}
	if r.leading == nil {
		r.leading = map[*script]chan struct{}{}
	}
	over := make(chan struct{})
	r.leading[s] = over
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.leading, s)
		close(over)
	}
}

// follow waits until the one that leads is done.
func (r *reloader) follow(ctx context.Context, s *script) error {
	r.mu.Lock()
	over := r.leading[s]
	r.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
