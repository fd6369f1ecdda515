package redisstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Plans is a copy of a Redis hash that has API keys as its fields and the names
// of their plans as its values, such as HSET plans k1 pro. It is read anew every
// second, so that a change takes effect within two; while the server does not
// answer the last copy stays. Asking it never blocks.
type Plans struct {
	current atomic.Pointer[map[string]string]
	stop    context.CancelFunc
	done    sync.WaitGroup
}

const (
	readPlansEvery   = time.Second
	readPlansTimeout = time.Second
)

// Plans starts copying a hash, and waits for the first copy for up to a second.
// The error says why there is none yet; the copying goes on, until Close.
func (s *Store) Plans(hash string) (*Plans, error) {
	e, ok := s.eval.(*rueidisEvaler)
	if !ok {
		return nil, errors.New("redisstore: plans need a store made with Open or New")
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Plans{stop: stop}
	err := p.read(ctx, e, hash)
	p.done.Go(func() {
		tick := time.NewTicker(readPlansEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.read(ctx, e, hash) // the last copy stays if this fails
			case <-ctx.Done():
				return
			}
		}
	})
	return p, err
}

func (p *Plans) read(ctx context.Context, e *rueidisEvaler, hash string) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readPlansTimeout)
	defer cancel()
	plans, err := client.Do(ctx, client.B().Hgetall().Key(hash).Build()).AsStrMap()
	if err != nil {
		e.heed(err)
		return err
	}
	p.current.Store(&plans)
	return nil
}

// Plan is the name of the key's plan; listed is false for a key that the hash
// does not hold, and for all of them while there is no copy.
func (p *Plans) Plan(key string) (name string, listed bool) {
	plans := p.current.Load()
	if plans == nil {
		return "", false
	}
	name, listed = (*plans)[key]
	return name, listed
}

// Close ends the copying and waits for it. It is safe to call twice.
func (p *Plans) Close() {
	p.stop()
	p.done.Wait()
}
