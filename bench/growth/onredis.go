package main

import (
	"fmt"
	"strconv"

	"github.com/weirhq/weir/bench/turns"
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
