package redisstore

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// ClientOptions are the settings by which a rueidis client serves a rate limiter
// well; change what they leave open (user, password, TLS, database).
func ClientOptions(addresses ...string) rueidis.ClientOption {
	o := rueidis.ClientOption{
		InitAddress:   addresses,
		DisableCache:  true,                  // nothing is read that could be cached
		DisableRetry:  true,                  // a take that may have been executed is never sent again
		MaxFlushDelay: 20 * time.Microsecond, // gathers concurrent takes: 120k/s become 159k/s
		// A server that has gone silent is given up within the second.
		ConnWriteTimeout: 500 * time.Millisecond,
		AlwaysPipelining: true, // takes never block: one pipeline does for all
	}
	o.Dialer.Timeout = dialTimeout
	o.Sentinel.Dialer.Timeout = dialTimeout
	o.Sentinel.TopologyRefreshInterval = 5 * time.Second // a missed event would bind to the old master
	o.ClusterOption.MaxMovedRedirections = 16            // the default is for ever
	return o
}

// dialTimeout is for a connection and its first exchange.
const dialTimeout = time.Second

// rueidisEvaler is the evaler on a rueidis client: the user's, or one that a
// connector keeps.
type rueidisEvaler struct {
	fixed     rueidis.Client
	connector *connector // where there is no fixed one
	places    places
	reloader  reloader
}

func newRueidisEvaler(client rueidis.Client) *rueidisEvaler {
	return &rueidisEvaler{fixed: client, places: newPlaces()}
}

func (e *rueidisEvaler) client() (rueidis.Client, error) {
	if e.fixed != nil {
		return e.fixed, nil
	}
	return e.connector.client()
}

// apart makes a call in a place of its own and waits for it as long as the context
// says. The call itself goes on to its end: what it holds of the client, a slot
// among those that wait for a reply or a connection being made, is not free
// before, and neither is its place. Were it given up with its caller, callers of a
// silent server would fill the client's queue; and where a handshake takes longer
// than callers wait, none would ever be finished.
func apart[T any](ctx context.Context, e *rueidisEvaler, place seats, call func(context.Context, rueidis.Client) (T, error)) (reply T, err error) {
	client, err := e.client()
	if err != nil {
		return reply, err
	}
	if err := place.enter(ctx); err != nil {
		return reply, err
	}
	type answer struct {
		reply T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		defer place.leave()
		reply, err := call(context.Background(), client)
		e.heed(err)
		done <- answer{reply, err}
	}()
	select {
	case a := <-done:
		return a.reply, a.err
	case <-ctx.Done():
		return reply, ctx.Err()
	}
}

func (e *rueidisEvaler) eval(ctx context.Context, s *script, c call) (string, error) {
	return apart(ctx, e, e.places.of(c), func(ctx context.Context, client rueidis.Client) (string, error) {
		loads := e.reloader.loads.Load()
		text, err := textOf(client.Do(ctx, byName(client, s, c)))
		if isNoScript(err) {
			return e.again(ctx, client, s, loads, c)
		}
		return text, err
	})
}

func (e *rueidisEvaler) evalAll(ctx context.Context, s *script, calls []call) ([]reply, error) {
	return apart(ctx, e, e.places.single, func(ctx context.Context, client rueidis.Client) ([]reply, error) {
		commands := make(rueidis.Commands, len(calls))
		for i, c := range calls {
			commands[i] = byName(client, s, c)
		}
		replies := make([]reply, len(calls))
		loads := e.reloader.loads.Load()
		for i, r := range client.DoMulti(ctx, commands...) {
			replies[i].text, replies[i].err = textOf(r)
			if isNoScript(replies[i].err) {
				replies[i].text, replies[i].err = e.again(ctx, client, s, loads, calls[i])
			}
			e.heed(replies[i].err)
		}
		return replies, nil
	})
}

func (e *rueidisEvaler) again(ctx context.Context, client rueidis.Client, s *script, loads int64, c call) (string, error) {
	return e.reloader.again(ctx, loads, func() (string, error) {
		return textOf(client.Do(ctx, byName(client, s, c)))
	}, func() (string, error) {
		return textOf(client.Do(ctx, byBody(client, s, c)))
	})
}

// heed connects anew where an error says that it is time to.
func (e *rueidisEvaler) heed(err error) {
	if err != nil && e.connector != nil && leadsAstray(err) {
		e.connector.renew()
	}
}

func (e *rueidisEvaler) unlink(ctx context.Context, keys []string) error {
	_, err := apart(ctx, e, e.places.single, func(ctx context.Context, client rueidis.Client) (struct{}, error) {
		commands := make(rueidis.Commands, len(keys))
		for i, key := range keys {
			commands[i] = client.B().Unlink().Key(key).Build()
		}
		for _, r := range client.DoMulti(ctx, commands...) {
			if err := r.Error(); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	return err
}

func byName(client rueidis.Client, s *script, c call) rueidis.Completed {
	return client.B().Evalsha().Sha1(s.sha).Numkeys(int64(len(c.keys))).Key(c.keys...).Arg(c.args...).Build()
}

func byBody(client rueidis.Client, s *script, c call) rueidis.Completed {
	return client.B().Eval().Script(s.body).Numkeys(int64(len(c.keys))).Key(c.keys...).Arg(c.args...).Build()
}

// textOf is the reply of a script: a string, or a number in decimal.
func textOf(r rueidis.RedisResult) (string, error) {
	m, err := r.ToMessage()
	if err != nil {
		return "", err
	}
	if m.IsInt64() {
		n, err := m.AsInt64()
		return strconv.FormatInt(n, 10), err
	}
	return m.ToString()
}
