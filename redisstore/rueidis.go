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

func (e *rueidisEvaler) eval(ctx context.Context, s *script, keys, args []string) (string, error) {
	if err := e.places.enter(ctx); err != nil {
		return "", err
	}
	defer e.places.leave()
	client, err := e.client()
	if err != nil {
		return "", err
	}
	loads := e.reloader.loads.Load()
	text, err := textOf(client.Do(ctx, byName(client, s, keys, args)))
	if isNoScript(err) {
		text, err = e.again(ctx, client, s, loads, call{keys, args})
	}
	e.heed(err)
	return text, err
}

func (e *rueidisEvaler) evalAll(ctx context.Context, s *script, calls []call) []reply {
	replies := make([]reply, len(calls))
	client, err := e.client()
	if err == nil {
		err = e.places.enter(ctx)
	}
	if err != nil {
		for i := range replies {
			replies[i].err = err
		}
		return replies
	}
	defer e.places.leave()
	commands := make(rueidis.Commands, len(calls))
	for i, c := range calls {
		commands[i] = byName(client, s, c.keys, c.args)
	}
	loads := e.reloader.loads.Load()
	for i, r := range client.DoMulti(ctx, commands...) {
		replies[i].text, replies[i].err = textOf(r)
		if isNoScript(replies[i].err) {
			replies[i].text, replies[i].err = e.again(ctx, client, s, loads, calls[i])
		}
		e.heed(replies[i].err)
	}
	return replies
}

func (e *rueidisEvaler) again(ctx context.Context, client rueidis.Client, s *script, loads int64, c call) (string, error) {
	return e.reloader.again(ctx, loads, func() (string, error) {
		return textOf(client.Do(ctx, byName(client, s, c.keys, c.args)))
	}, func() (string, error) {
		return textOf(client.Do(ctx, byBody(client, s, c.keys, c.args)))
	})
}

// heed connects anew where an error says that it is time to.
func (e *rueidisEvaler) heed(err error) {
	if err != nil && e.connector != nil && leadsAstray(err) {
		e.connector.renew()
	}
}

func (e *rueidisEvaler) unlink(ctx context.Context, key string) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	err = client.Do(ctx, client.B().Unlink().Key(key).Build()).Error()
	e.heed(err)
	return err
}

func byName(client rueidis.Client, s *script, keys, args []string) rueidis.Completed {
	return client.B().Evalsha().Sha1(s.sha).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build()
}

func byBody(client rueidis.Client, s *script, keys, args []string) rueidis.Completed {
	return client.B().Eval().Script(s.body).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build()
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
