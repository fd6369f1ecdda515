package main

import (
	"fmt"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/lease"
	"github.com/weirhq/weir/redisstore"
)

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
		if err == nil && !explains(kind, c.server.calls, int64(c.Calls)) {
			err = fmt.Errorf("set-up: %d calls for %d decisions", c.server.calls, c.Calls)
		}
		return append(c.figures(), turns.Figure{Value: float64(c.server.calls) / float64(c.Calls), Unit: "calls"}), err
	})
}

// explains reports whether so many calls are those of the kind. Of a few decisions they
// may be anything: a key is leased once it is busy, and what is known of it ends when a
// machine stands still for a moment.
func explains(kind string, calls, decisions int64) bool {
	const few = 100
	switch kind {
	case "call-each":
		return calls >= decisions
	case "deny-cache", "leased":
		return decisions < few || calls <= decisions/2
	}
	return true
}
