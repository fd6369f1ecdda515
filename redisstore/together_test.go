package redisstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// Takes that go together get, field by field, the answers that they would have got
// one after the other at the same instant, and leave the same state: single checks
// and requests of several layers, of every algorithm, with limits that change,
// refunds of any of them and resets.
func TestTogetherIsOneAfterTheOther(t *testing.T) {
	clock := newClock()
	p := &pair{T: t, clock: clock, shape: shape{changing: true}, r: randomness(t), limits: limitPool(t)}
	server := sharedServer(t)
	p.memory, p.redis = plain(t, server, clock), open(t, urlOf(server), clock.options()...)
	sizes := map[string]int{}
	for range rounds(4000) {
		switch p.r.IntN(8) {
		case 0, 1, 2:
			p.step()
			continue
		case 3:
			clock.pass(time.Duration(p.r.IntN(5000)) * time.Millisecond)
		case 4:
			clock.pass(time.Duration(p.r.IntN(1000)) * time.Microsecond)
		case 5:
			p.forget(p.check(p.r.IntN(3)).Key, p.redis)
		}
		checks := p.request()
		if p.r.IntN(2) == 0 {
			checks = checks[:1]
		} else if p.r.IntN(2) == 0 {
			light(checks)
		}
		if redisstore.Mergeable(checks) {
			sizes[p.together(checks, 1+p.r.IntN(8))]++
		}
	}
	t.Logf("%v, %d refunds gave something", sizes, p.refunded)
	for _, outcome := range []string{"all", "some", "none", "all of several", "each alone"} {
		if sizes[outcome] < rounds(4000)/100 || p.refunded < rounds(4000)/100 {
			t.Errorf("too few: %s", outcome)
		}
	}
}

// light makes a request that several can often make at once.
func light(checks []weir.Check) {
	for i := range checks {
		c := &checks[i]
		c.Cost, c.Peek, c.Group = 1, false, &weir.Group{Charge: weir.Charging(i % 2)}
	}
}

// together has so many callers ask at once, and says how many were granted.
func (p *pair) together(checks []weir.Check, times int) string {
	p.Helper()
	got, err := redisstore.Together(p.redis, checks, times)
	if errors.Is(err, redisstore.ErrAlone) {
		p.atLeastOneIsRefused(checks, times)
		return "each alone"
	}
	if err != nil {
		p.Fatal(err)
	}
	granted := 0
	for i := range times {
		want := make([]weir.Result, len(checks))
		if err := p.memory.Take(context.Background(), checks, want); err != nil {
			p.Fatal(err)
		}
		if got := got[i*len(checks):][:len(checks)]; !slices.Equal(got, want) {
			p.Fatalf("%d of %d, at %s, of %+v on %s\n- alone, + together:\n%s", i+1, times, p.clock.read(), checks, checks[0].Limit, cmp.Diff(want, got))
		}
		d := weir.Decide(weir.NewID(), checks, want)
		p.count(d)
		if len(d.Charges()) > 0 {
			p.past = append(p.past, d)
			granted++
		}
	}
	switch {
	case granted == times && len(checks) > 1:
		return "all of several"
	case granted == times:
		return "all"
	case granted > 0:
		return "some"
	}
	return "none"
}

// atLeastOneIsRefused has callers ask alone who could not be answered together.
func (p *pair) atLeastOneIsRefused(checks []weir.Check, times int) {
	p.Helper()
	allowed := true
	for range times {
		allowed = p.take(checks).Allowed && allowed
	}
	if allowed && times > 1 {
		p.Errorf("all %d fit, but not together: %+v", times, checks)
	}
}

// plain is a store of its own on the server, that asks for every take by itself.
func plain(t *testing.T, server *redistest.Server, clock *clock) *redisstore.Store {
	return open(t, urlOf(server), append(clock.options(), redisstore.WithoutCoalescing(), redisstore.WithPrefix("plain"))...)
}

// forget resets a key in both stores.
func (p *pair) forget(k weir.Key, store weir.Store) {
	p.Helper()
	for _, s := range []weir.Store{p.memory, store} {
		if err := s.Reset(context.Background(), []weir.Key{k}); err != nil {
			p.Fatal(err)
		}
	}
}

// At the ends of the ranges, where doubles begin to round, the script grants what
// the exact arithmetic does, or the reply would be refused.
func TestTogetherAtTheEndsOfTheRanges(t *testing.T) {
	clock := newClock()
	store, r := open(t, urlOf(sharedServer(t)), clock.options()...), randomness(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		bits := map[weir.Algorithm]int{weir.FixedWindow: 53, weir.SlidingLog: 32, weir.SlidingCounter: 32}[a]
		if bits == 0 {
			bits = 40
		}
		for i := range rounds(300) {
			most := int64(1) << bits
			limit := limitOf(t, weir.PerDay(most-magnitude(r, bits)/2), weir.WithAlgorithm(a))
			k := key(t.Name() + string(rune('a'+i%7)))
			cost := 1 + magnitude(r, bits)
			if r.IntN(2) == 0 {
				cost = max(1, limit.Capacity()/int64(1+r.IntN(12))+r.Int64N(3)-1)
			}
			if _, err := redisstore.Together(store, []weir.Check{{Key: k, Limit: limit, Cost: cost}}, 2+r.IntN(12)); err != nil {
				t.Fatalf("%d of %s: %v", cost, limit, err)
			}
			clock.pass(time.Duration(r.Int64N(int64(20 * time.Hour))))
		}
	})
}

// A reply that grants another number than the state it tells has room for is
// refused rather than believed.
func TestTogetherIsNotMoreThanThereIsRoomFor(t *testing.T) {
	limit := limitOf(t, weir.PerDay(10))
	for _, c := range []struct {
		cost, passed int64
		believed     bool
	}{
		{cost: 1, passed: 4, believed: true},
		{cost: 1, passed: 3},
		{cost: 2, passed: 5}, // which would fit
		{cost: 1, passed: -1},
		{cost: 4, passed: 2, believed: true},
		{cost: 4, passed: 1},
		{cost: 4, passed: 3},
		{cost: 11, passed: 0, believed: true},
		{cost: 11, passed: 1},
		{cost: 1 << 62, passed: 4}, // whose sum is 0
	} {
		reply := string(redisstore.Double(1_700_000_000_000_000)) + string(redisstore.Double(c.passed)) + "\x00\x00" // a new key
		store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(context.Context, ...any) (any, error) { return reply, nil }))
		if err != nil {
			t.Fatal(err)
		}
		_, err = redisstore.Together(store, []weir.Check{{Key: key("a"), Limit: limit, Cost: c.cost}}, 4)
		if believed := err == nil; believed != c.believed {
			t.Errorf("%d of 4 at a cost of %d: %v", c.passed, c.cost, err)
		}
	}
}
