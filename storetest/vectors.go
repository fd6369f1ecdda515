package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// Every store answers what the vector files say, of which the pure functions and
// the Lua scripts are proven too. Those cases are left out in which the clock
// steps back: there each kind of store has a promise of its own.
func testVectors(t *testing.T, newStore NewStore) {
	for _, a := range weir.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			kind := limitOf(t, weir.PerMinute(1), weir.WithAlgorithm(a)).Compiled().Kind
			played := 0
			for _, c := range vectors.Load(t, kind) {
				if c.StepsBack() {
					continue
				}
				played++
				t.Run(c.Title, func(t *testing.T) { c.Run(t, kind, &storeKey{newTrial(t, newStore), a}) })
			}
			if played == 0 {
				t.Error("no case was played")
			}
		})
	}
}

// storeKey is one key of a store, for the vectors.
type storeKey struct {
	*trial
	algorithm weir.Algorithm
}

var vectorKey = identity("vector")

func (k *storeKey) limit(l algorithm.Limit) *weir.Limit {
	options := []weir.LimitOption{weir.WithAlgorithm(k.algorithm)}
	if k.algorithm.HasBurst() && l.Count > 0 {
		options = append(options, weir.WithBurst(l.Burst))
	}
	if l.CountAll {
		options = append(options, weir.WithCountAll())
	}
	return limitOf(k, weir.Per(l.Count, time.Duration(l.Period)*time.Microsecond), options...)
}

func answer(r weir.Result) vectors.Answer {
	return vectors.Answer{Yes: r.Allowed, Outcome: algorithm.Outcome{
		Remaining: r.Remaining, Wait: micros(r.NextAfter), Reset: micros(r.ResetAfter),
	}}
}

func micros(d time.Duration) int64 {
	if d == weir.Never {
		return algorithm.Never
	}
	return d.Microseconds()
}

// Take implements [vectors.Key]. Its receipt is the decision.
func (k *storeKey) Take(l algorithm.Limit, at, cost int64) (vectors.Answer, any, error) {
	k.now.Store(at)
	d := k.decide(weir.Check{Key: vectorKey, Limit: k.limit(l), Cost: cost})
	return answer(d.Results[0]), d, nil
}

// Peek implements [vectors.Key].
func (k *storeKey) Peek(l algorithm.Limit, at, cost int64) (vectors.Answer, error) {
	k.now.Store(at)
	return answer(k.peek(vectorKey, k.limit(l), cost)), nil
}

// Refund implements [vectors.Key].
func (k *storeKey) Refund(_ algorithm.Limit, at int64, receipt any) (bool, error) {
	k.now.Store(at)
	d := receipt.(weir.Decision)
	return k.store.Refund(context.Background(), d.ID, d.Charges())
}
