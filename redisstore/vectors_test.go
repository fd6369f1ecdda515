package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
	"github.com/weirhq/weir/redisstore"
)

// The scripts answer what the vector files say, also where the clock steps back.
func TestVectors(t *testing.T) {
	server := sharedServer(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		kind := limitOf(t, weir.PerMinute(1), weir.WithAlgorithm(a)).Compiled().Kind
		vectors.Run(t, kind, func(t *testing.T) vectors.Key {
			clock := newClock()
			return &vectorKey{t, open(t, urlOf(server), clock.options()...), clock, a, key(t.Name())}
		})
	})
}

type vectorKey struct {
	t         *testing.T
	store     *redisstore.Store
	clock     *clock
	algorithm weir.Algorithm
	key       weir.Key
}

func (k *vectorKey) ask(l algorithm.Limit, at, cost int64, peek bool) (vectors.Answer, any, error) {
	k.clock.set(at)
	check := weir.Check{Key: k.key, Limit: k.limit(l), Cost: cost, Peek: peek}
	r := decide(k.t, k.store, check)[0]
	o := algorithm.Outcome{Remaining: r.Remaining, Wait: r.NextAfter.Microseconds(), Reset: r.ResetAfter.Microseconds()}
	if r.NextAfter == weir.Never {
		o.Wait = algorithm.Never
	}
	return vectors.Answer{Yes: r.Allowed, Outcome: o}, weir.Charged(check, r), nil
}

func (k *vectorKey) limit(l algorithm.Limit) *weir.Limit {
	options := []weir.LimitOption{weir.WithAlgorithm(k.algorithm)}
	if k.algorithm.HasBurst() && l.Count > 0 {
		options = append(options, weir.WithBurst(l.Burst))
	}
	if l.CountAll {
		options = append(options, weir.WithCountAll())
	}
	return limitOf(k.t, weir.Per(l.Count, time.Duration(l.Period)*time.Microsecond), options...)
}

// Take implements [vectors.Key].
func (k *vectorKey) Take(l algorithm.Limit, at, cost int64) (vectors.Answer, any, error) {
	return k.ask(l, at, cost, false)
}

// Peek implements [vectors.Key].
func (k *vectorKey) Peek(l algorithm.Limit, at, cost int64) (vectors.Answer, error) {
	a, _, err := k.ask(l, at, cost, true)
	return a, err
}

// Refund implements [vectors.Key].
func (k *vectorKey) Refund(_ algorithm.Limit, at int64, receipt any) (bool, error) {
	k.clock.set(at)
	return k.store.Refund(context.Background(), weir.NewID(), []weir.Charge{receipt.(weir.Charge)})
}
