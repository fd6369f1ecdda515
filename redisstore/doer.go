package redisstore

import (
	"context"
	"errors"
	"fmt"
)

// Doer is any Redis client by its one method: send a command, return the reply
// as a string or an int64. With go-redis:
//
//	redisstore.NewWithDoer(redisstore.DoerFunc(func(ctx context.Context, args ...any) (any, error) {
//		return client.Do(ctx, args...).Result()
//	}))
//
// The client must not repeat a command by itself, or a request whose reply is
// lost is charged twice, and must heed the context's deadline. For go-redis that
// is MaxRetries: -1 and ContextTimeoutEnabled: true.
type Doer interface {
	Do(ctx context.Context, args ...any) (any, error)
}

// DoerFunc is a function as a [Doer].
type DoerFunc func(ctx context.Context, args ...any) (any, error)

// Do implements [Doer].
func (f DoerFunc) Do(ctx context.Context, args ...any) (any, error) { return f(ctx, args...) }

// NewWithDoer makes a store on another client than rueidis. For a cluster's
// client give [WithCluster].
func NewWithDoer(d Doer, options ...Option) (*Store, error) {
	if d == nil {
		return nil, errors.New("redisstore: the client is nil")
	}
	return newStore(&doerEvaler{doer: d, places: newPlaces()}, options), nil
}

// WithCluster asks for each hash slot on its own. [New] and [Open] know by
// themselves.
func WithCluster() Option { return func(s *Store) { s.slots = true } }

// doerEvaler is the evaler on a Doer.
type doerEvaler struct {
	doer     Doer
	places   places
	reloader reloader
}

func (e *doerEvaler) eval(ctx context.Context, s *script, c call) (string, error) {
	place := e.places.of(c)
	if err := place.enter(ctx); err != nil {
		return "", err
	}
	defer place.leave()
	loads := e.reloader.loads.Load()
	byName := func() (string, error) { return e.do(ctx, "EVALSHA", s.sha, c) }
	text, err := byName()
	if isNoScript(err) {
		return e.reloader.again(ctx, loads, byName, func() (string, error) { return e.do(ctx, "EVAL", s.body, c) })
	}
	return text, err
}

func (e *doerEvaler) do(ctx context.Context, command, script string, c call) (string, error) {
	all := make([]any, 0, 3+len(c.keys)+len(c.args))
	all = append(all, command, script, len(c.keys))
	for _, k := range c.keys {
		all = append(all, k)
	}
	for _, a := range c.args {
		all = append(all, a)
	}
	answer, err := e.doer.Do(ctx, all...)
	if err != nil {
		return "", err
	}
	switch answer := answer.(type) {
	case string:
		return answer, nil
	case []byte:
		return string(answer), nil
	default:
		return fmt.Sprint(answer), nil
	}
}

func (e *doerEvaler) evalAll(ctx context.Context, s *script, calls []call) ([]reply, error) {
	replies := make([]reply, len(calls))
	for i, c := range calls {
		replies[i].text, replies[i].err = e.eval(ctx, s, c)
	}
	return replies, nil
}

func (e *doerEvaler) unlink(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if _, err := e.doer.Do(ctx, "UNLINK", key); err != nil {
			return err
		}
	}
	return nil
}
