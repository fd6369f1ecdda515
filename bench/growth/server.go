package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/weirhq/weir/redisstore"
)

// server is a Redis server with a client and a store on it.
type server struct {
	address string
	bus     string // port for other masters, on a cluster
	empty   int64  // bytes it used when it held nothing
	client  rueidis.Client
	*redisstore.Store
}

// serve starts a server that lives until the series ends.
func (b *bench) serve(options ...redisstore.Option) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "redis")
	if err != nil {
		return nil, err
	}
	address, _, err := b.processes.Redis(dir)
	if err != nil {
		return nil, err
	}
	s := &server{address: address}
	if s.client, err = connect(address); err != nil {
		return nil, err
	}
	b.servers = append(b.servers, s)
	if s.empty, err = s.memory(); err != nil {
		return nil, err
	}
	s.Store, err = redisstore.New(s.client, options...)
	return s, err
}

// connect makes a client that knows by itself whether there is a cluster.
func connect(addresses ...string) (rueidis.Client, error) {
	return rueidis.NewClient(clientOptions(addresses...))
}

// clientOptions wait for a busy machine: a call that is given up would end the run.
func clientOptions(addresses ...string) rueidis.ClientOption {
	o := redisstore.ClientOptions(addresses...)
	o.ConnWriteTimeout, o.Dialer.Timeout = 30*time.Second, 10*time.Second
	return o
}

// stop ends all servers of a series.
func (b *bench) stop() {
	for _, s := range b.servers {
		s.client.Close()
	}
	b.servers = nil
	b.processes.Stop()
}

func (s *server) do(words ...string) (rueidis.RedisMessage, error) {
	return s.client.Do(context.Background(), s.client.B().Arbitrary(words...).Build()).ToMessage()
}

func (s *server) number(words ...string) (int64, error) {
	m, err := s.do(words...)
	if err != nil {
		return 0, err
	}
	return m.AsInt64()
}

// assertKeys is set-up: the server holds so many.
func (s *server) assertKeys(n int) error {
	switch got, err := s.number("DBSIZE"); {
	case err != nil:
		return err
	case got != int64(n):
		return fmt.Errorf("set-up: the server holds %d keys, not %d", got, n)
	}
	return nil
}

// info is a field of a section of INFO.
func (s *server) info(section, field string) (string, error) {
	m, err := s.do("INFO", section)
	if err != nil {
		return "", err
	}
	text, err := m.ToString()
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return value, nil
		}
	}
	return "", err
}

// count is how often the server did a command, and the µs it took.
type count struct{ calls, usec int64 }

func (s *server) count(command string) (c count, err error) {
	text, err := s.info("commandstats", "cmdstat_"+command)
	if err == nil && text != "" {
		_, err = fmt.Sscanf(text, "calls=%d,usec=%d", &c.calls, &c.usec)
	}
	return c, err
}

// cpu is the processor time that the server has used, finer than the kernel's ticks.
func (s *server) cpu() (used time.Duration, err error) {
	for _, field := range []string{"used_cpu_sys", "used_cpu_user"} {
		text, err := s.info("cpu", field)
		if err != nil {
			return 0, err
		}
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, fmt.Errorf("%s of INFO: %w", field, err)
		}
		used += time.Duration(seconds * float64(time.Second))
	}
	return used, nil
}

// memory is the bytes that the server uses, its own included.
func (s *server) memory() (int64, error) {
	text, err := s.info("memory", "used_memory")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// cost is what a while of asking cost a server.
type cost struct {
	loaded
	server count         // of EVALSHA, or what else was asked for
	redis  time.Duration // processor time
}

// perCall is the server's own count of the µs of a call.
func (c cost) perCall() float64 { return float64(c.server.usec) / float64(max(1, c.server.calls)) }

// redisPer is the processor time of the server, in µs, for each of so many.
func (c cost) redisPer(decisions int) float64 { return micros(c.redis) / float64(decisions) }

// clientPer is the processor time of the callers, in µs, for each of so many.
func (c cost) clientPer(decisions int) float64 { return micros(c.cpu) / float64(decisions) }

func (b *bench) measure(s *server, command string, callers int, ask asker) (c cost, err error) {
	if _, err := load(callers, 1, b.warm, ask); err != nil {
		return c, err
	}
	before, err := s.count(command)
	if err != nil {
		return c, err
	}
	redis, err := s.cpu()
	if err != nil {
		return c, err
	}
	if c.loaded, err = load(callers, 1, b.turn, ask); err != nil {
		return c, err
	}
	used, err := s.cpu()
	if err != nil {
		return c, err
	}
	c.redis = used - redis
	after, err := s.count(command)
	c.server = count{after.calls - before.calls, after.usec - before.usec}
	return c, err
}
