package main

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/redisstore"
)

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
