package main

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/lease"
	"github.com/weirhq/weir/redisstore"
)

// redisCallers ask at once where their number is not what grows.
const redisCallers = 128

// keysOnRedis has a server for each point, filled before its first turn.
func (b *bench) keysOnRedis() turns.Contest {
	servers := filled{}
	return points("keys-redis", stateKinds, b.keysRedis, func(kind string, n int) ([]turns.Figure, error) {
		l, ids := lasting(algorithm(kind)), identitiesOf(n)
		s, err := servers.get(b, kind, n, func(s *server) error { return ids.fill(s, l, 1) })
		if err != nil {
			return nil, err
		}
		if err := s.assertKeys(n); err != nil {
			return nil, err
		}
		c, err := b.measure(s, "evalsha", redisCallers, ids.randomly(s, l, 1, true))
		if err != nil {
			return nil, err
		}
		bytes, err := s.bytesPerKey()
		if err != nil {
			return nil, err
		}
		all, err := s.memory()
		return append(c.figures(),
			turns.Figure{Value: bytes, Unit: "bytes"},
			turns.Figure{Value: float64(all-s.empty) / float64(n), Unit: "used-bytes"}), err
	})
}

// figures are those of a load on Redis.
func (c cost) figures() []turns.Figure {
	return []turns.Figure{
		{Value: c.PerSecond(), Unit: "decisions/s"},
		{Value: micros(c.P50), Unit: "p50-µs"},
		{Value: micros(c.P99), Unit: "p99-µs"},
		{Value: c.redisPer(c.Calls), Unit: "redis-cpu-µs"},
		{Value: c.clientPer(c.Calls), Unit: "cpu-µs"},
	}
}

// filled are servers that keep what they were filled with from one round to the next.
type filled map[string]*server

func (f filled) get(b *bench, kind string, n int, fill func(*server) error, options ...redisstore.Option) (*server, error) {
	name := kind + "/" + strconv.Itoa(n)
	if s, ok := f[name]; ok {
		return s, nil
	}
	s, err := b.serve(options...)
	if err == nil {
		f[name], err = s, fill(s)
	}
	return s, err
}

// bytesPerKey is what MEMORY USAGE says of keys at random, on average.
func (s *server) bytesPerKey() (float64, error) {
	const samples = 200
	sum := int64(0)
	for range samples {
		m, err := s.do("RANDOMKEY")
		if err != nil {
			return 0, err
		}
		key, err := m.ToString()
		if err != nil {
			return 0, err
		}
		n, err := s.number("MEMORY", "USAGE", key)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return float64(sum) / samples, nil
}

// scripts are the server's own µs for a call, by algorithm, beside the least that a
// script and a command cost.
func (b *bench) scripts() turns.Contest {
	c := turns.Contest{Name: "scripts"}
	add := func(name, command string, ask func(*server) (asker, error)) {
		servers := filled{}
		c.Contenders = append(c.Contenders, turns.Contender{Name: name, Turn: func() ([]turns.Figure, error) {
			s, err := servers.get(b, name, 0, func(*server) error { return nil }, redisstore.WithoutCoalescing())
			if err != nil {
				return nil, err
			}
			a, err := ask(s)
			if err != nil {
				return nil, err
			}
			cost, err := b.measure(s, command, redisCallers, a)
			if err == nil && cost.server.calls < int64(cost.Calls) {
				err = fmt.Errorf("set-up: the server counts %d calls of %d", cost.server.calls, cost.Calls)
			}
			return append([]turns.Figure{{Value: cost.perCall(), Unit: "µs"}}, cost.figures()...), err
		}})
	}
	add("incr", "incr", func(s *server) (asker, error) { return s.command("INCR", "hot"), nil })
	add("return-1", "evalsha", bareScript)
	for _, a := range weir.Algorithms() {
		add(a.String()+"/admitted", "evalsha", func(s *server) (asker, error) {
			return hot.randomly(s, roomy(a), 1, true), nil
		})
		add(a.String()+"/refused", "evalsha", func(s *server) (asker, error) {
			l := limit(weir.PerDay(1000), weir.WithAlgorithm(a))
			return hot.randomly(s, l, 1, false), s.exhaust(l)
		})
	}
	return c
}

// roomy is a limit that no run uses up. Of the log, the entries leave again.
func roomy(a weir.Algorithm) *weir.Limit {
	if a == weir.SlidingLog {
		return limit(weir.Per(1<<20, time.Millisecond), weir.WithAlgorithm(a))
	}
	return limit(weir.PerSecond(1<<31), weir.WithAlgorithm(a))
}

// exhaust takes what the hot key has left, so that one more is refused.
func (s *server) exhaust(l *weir.Limit) error {
	check := []weir.Check{{Key: request(l, 1)[0].Key, Limit: l, Peek: true}}
	check[0].Key.Identity = hot.text
	var result [1]weir.Result
	if err := s.Take(context.Background(), check, result[:]); err != nil {
		return err
	}
	check[0].Peek, check[0].Cost = false, result[0].Remaining
	return s.Take(context.Background(), check, result[:])
}

func (s *server) command(words ...string) asker {
	return func(*rand.Rand) func() error {
		return func() error {
			_, err := s.do(words...)
			return err
		}
	}
}

func bareScript(s *server) (asker, error) {
	sum := sha1.Sum([]byte("return 1"))
	_, err := s.do("SCRIPT", "LOAD", "return 1")
	return s.command("EVALSHA", hex.EncodeToString(sum[:]), "1", "hot"), err
}

func (b *bench) layersOnRedis() turns.Contest {
	servers, ids := filled{}, identitiesOf(b.spread/10)
	return points("layers-redis", stateKinds, b.layers, func(kind string, n int) ([]turns.Figure, error) {
		l := lasting(algorithm(kind))
		s, err := servers.get(b, kind, n, func(s *server) error { return ids.fill(s, l, n) })
		if err != nil {
			return nil, err
		}
		if err := s.assertKeys(n * ids.n); err != nil {
			return nil, err
		}
		c, err := b.measure(s, "evalsha", redisCallers, ids.randomly(s, l, n, true))
		if err == nil && c.server.calls > int64(c.Calls) {
			err = fmt.Errorf("set-up: %d calls for %d requests", c.server.calls, c.Calls)
		}
		return append([]turns.Figure{{Value: c.perCall(), Unit: "µs"}}, c.figures()...), err
	})
}

func (b *bench) callersOnRedis() turns.Contest {
	servers, ids := filled{}, identitiesOf(b.spread)
	return points("callers-redis", stateKinds[:1], b.callers, func(kind string, n int) ([]turns.Figure, error) {
		l := lasting(algorithm(kind))
		s, err := servers.get(b, kind, 0, func(s *server) error { return ids.fill(s, l, 1) })
		if err != nil {
			return nil, err
		}
		if err := s.assertKeys(ids.n); err != nil {
			return nil, err
		}
		c, err := b.measure(s, "evalsha", n, ids.randomly(s, l, 1, true))
		return c.figures(), err
	})
}

// hotKinds are the ways in which one hot key is decided.
var hotKinds = []string{"call-each", "shared", "deny-cache", "leased"}

// callersOfOneKey is of one hot key: a call for each decision, calls that callers
// share, refusals that need no call, and requests taken ahead.
func (b *bench) callersOfOneKey() turns.Contest {
	servers := filled{}
	return points("callers-hot", hotKinds, b.callers, func(kind string, n int) ([]turns.Figure, error) {
		var options []redisstore.Option
		l, admitted := roomy(weir.GCRA), true
		switch kind {
		case "call-each":
			options = append(options, redisstore.WithoutCoalescing())
		case "deny-cache":
			options = append(options, redisstore.WithDenyCache(time.Second))
			l, admitted = limit(weir.PerDay(1000)), false
		case "leased":
			l = limit(weir.PerSecond(20_000_000), weir.WithLease(1))
		}
		s, err := servers.get(b, kind, 0, func(*server) error { return nil }, options...)
		if err != nil {
			return nil, err
		}
		if !admitted {
			if err := s.exhaust(l); err != nil {
				return nil, err
			}
		}
		leased := lease.New(s, lease.Options{}) // which only leases what is to be leased
		defer leased.Close()
		c, err := b.measure(s, "evalsha", n, hot.randomly(leased, l, 1, admitted))
		each, local := kind == "call-each", kind == "deny-cache" || kind == "leased"
		if calls := int64(c.Calls); err == nil && (each && c.server.calls < calls || local && c.server.calls > 1+calls/2) {
			err = fmt.Errorf("set-up: %d calls for %d decisions", c.server.calls, c.Calls)
		}
		return append(c.figures(), turns.Figure{Value: float64(c.server.calls) / float64(c.Calls), Unit: "calls"}), err
	})
}

// logsOnRedis are full logs of one key each. They are filled by the server's clock,
// and then asked by one that stands where the next entry leaves.
func (b *bench) logsOnRedis() turns.Contest {
	servers, now := filled{}, map[int]time.Time{}
	return points("log-redis", []string{"log"}, b.logs, func(_ string, n int) ([]turns.Figure, error) {
		l := logLimit(n)
		s, err := servers.get(b, "log", n, func(s *server) error {
			end, err := s.fillLog(l, n)
			now[n] = end
			return err
		}, redisstore.WithoutCoalescing())
		if err != nil {
			return nil, err
		}
		clock := now[n]
		defer func() { now[n] = clock }()
		store, err := redisstore.New(s.client, redisstore.WithoutCoalescing(), redisstore.WithClock(func() time.Time { return clock }))
		if err != nil {
			return nil, err
		}
		admitted, err := b.measure(s, "evalsha", 1, admitNext(store, l, &clock))
		if err != nil {
			return nil, err
		}
		bytes, err := s.number("MEMORY", "USAGE", logName, "SAMPLES", "0")
		if err != nil {
			return nil, err
		}
		if length, err := s.number("LLEN", logName); err != nil || length != int64(n)+1 { // and the header
			return nil, fmt.Errorf("set-up: a log of %d has %d entries: %w", n, length, err)
		}
		clock = clock.Add(-time.Microsecond) // just before the next leaves
		refused, err := b.measure(s, "evalsha", 1, hot.randomly(store, l, 1, false))
		return []turns.Figure{
			{Value: float64(bytes), Unit: "bytes"},
			{Value: admitted.perCall(), Unit: "admitted-µs"},
			{Value: refused.perCall(), Unit: "refused-µs"},
		}, err
	})
}

const logName = "weir:{hot}:layer0:default"

// fillLog takes one at a time, by many callers, and returns an instant after the last.
func (s *server) fillLog(l *weir.Limit, n int) (end time.Time, err error) {
	var callers sync.WaitGroup
	errs := make([]error, redisCallers)
	for c := range redisCallers {
		callers.Go(func() {
			checks, results := request(l, 1), make([]weir.Result, 1)
			for i := c; i < n && errs[c] == nil; i += redisCallers {
				errs[c] = hot.take(s, 0, checks, results, true)
			}
		})
	}
	callers.Wait()
	for _, err := range errs {
		if err != nil {
			return end, err
		}
	}
	check, result := request(l, 1), make([]weir.Result, 1)
	err = hot.take(s, 0, check, result, false)
	return time.UnixMicro(result[0].At), err
}

// admitNext moves the clock to where the next is admitted, and takes it.
func admitNext(s weir.Store, l *weir.Limit, clock *time.Time) asker {
	return func(*rand.Rand) func() error {
		checks, results := request(l, 1), make([]weir.Result, 1)
		checks[0].Key.Identity = hot.text
		checks[0].Peek = true
		err := s.Take(context.Background(), checks, results)
		checks[0].Peek = false
		*clock = clock.Add(results[0].RetryAfter)
		return func() error {
			if err != nil {
				return err
			}
			err := hot.take(s, 0, checks, results, true)
			*clock = clock.Add(results[0].NextAfter)
			return err
		}
	}
}
