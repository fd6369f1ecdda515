package redisstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// The same requests at the same instants are answered alike, in every field, by a
// process's memory, by Redis and by a cluster: groups of every kind, peeks, costs,
// refunds, keys named twice, keys of one identity or of several.
func TestMemoryAndRedisAnswerAlike(t *testing.T) {
	for _, c := range []struct {
		name    string
		url     func(testing.TB) string
		shape   shape
		refunds int
	}{
		{"redis", func(t testing.TB) string { return urlOf(sharedServer(t)) }, shape{changing: true, twice: true}, 100},
		{"cluster, one identity a request", func(t testing.TB) string { return sharedCluster(t).URL() }, shape{changing: true, oneIdentity: true, twice: true}, 100},
		// What nodes take and give back is as if it had never been, as long as the
		// limit is the same; another one is noticed by a call that is undone, too.
		{"cluster, several identities", func(t testing.TB) string { return sharedCluster(t).URL() }, shape{}, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			p := &pair{T: t, clock: clock, shape: c.shape, r: randomness(t), limits: limitPool(t)}
			memory := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock.read})
			t.Cleanup(func() { memory.Close() })
			p.memory = memory
			p.redis = open(t, c.url(t), clock.options()...)
			for range rounds(4000) {
				p.step()
			}
			p.healthy()
		})
	}
}

// shape says what requests are made of.
type shape struct {
	changing    bool // a key's limit changes from request to request
	oneIdentity bool // all checks of a request are of one identity
	twice       bool // independent checks of a request may name one key
}

// pair is two stores under the same requests.
type pair struct {
	*testing.T
	memory weir.Store // or another to compare with
	redis  *redisstore.Store
	clock  *clock
	shape  shape
	r      *rand.Rand
	limits map[weir.Algorithm][]*weir.Limit

	past                                          []weir.Decision
	checks, charged, refused, refunded, givenBack int
}

func limitPool(t testing.TB) map[weir.Algorithm][]*weir.Limit {
	pool := map[weir.Algorithm][]*weir.Limit{}
	for _, a := range weir.Algorithms() {
		for _, rate := range []weir.Rate{
			weir.PerSecond(10), weir.Per(7, 13*time.Second), weir.PerMinute(11), weir.PerDay(999_983),
			weir.Per(3, time.Millisecond), weir.PerMinute(0), weir.Per(4, 7*time.Second),
		} {
			options := []weir.LimitOption{weir.WithAlgorithm(a)}
			pool[a] = append(pool[a], limitOf(t, rate, options...))
			if a.HasBurst() && rate.Count > 0 {
				pool[a] = append(pool[a], limitOf(t, rate, append(options, weir.WithBurst(3))...))
			}
			if a == weir.FixedWindow {
				pool[a] = append(pool[a], limitOf(t, rate, append(options, weir.WithCountAll())...))
			}
		}
	}
	return pool
}

func (p *pair) step() {
	p.Helper()
	switch p.r.IntN(4) {
	case 0:
		p.clock.pass(time.Duration(p.r.IntN(1000)) * time.Microsecond)
	case 1:
		p.clock.pass(time.Duration(p.r.IntN(5000)) * time.Millisecond)
	}
	d := p.take(p.request())
	if wait := d.RetryAfter; p.r.IntN(3) == 0 && wait > 0 && wait < time.Hour {
		p.clock.pass(wait - time.Duration(p.r.IntN(2))*time.Microsecond)
	}
	if p.r.IntN(6) == 0 && len(p.past) > 0 {
		p.refund()
	}
}

// request is one to four checks in groups. A key comes twice only in groups that
// are independent, and under one limit.
func (p *pair) request() []weir.Check {
	var checks []weir.Check
	var group *weir.Group
	named := map[weir.Key]weir.Check{}
	who := p.r.IntN(3)
	for i := range 1 + p.r.IntN(4) {
		if i == 0 || p.r.IntN(2) == 0 {
			group = &weir.Group{Charge: weir.Charging(p.r.IntN(3)), Shadow: p.r.IntN(4) == 0}
		}
		if !p.shape.oneIdentity {
			who = p.r.IntN(3)
		}
		c := p.check(who)
		c.Group = group
		if first, twice := named[c.Key]; twice {
			if !p.shape.twice || first.Group.Charge != weir.Independent || group.Charge != weir.Independent {
				continue
			}
			c.Limit = first.Limit
		}
		named[c.Key] = c
		checks = append(checks, c)
	}
	return checks
}

func (p *pair) check(who int) weir.Check {
	a := weir.Algorithms()[p.r.IntN(len(weir.Algorithms()))]
	limits := p.limits[a]
	i := p.r.IntN(len(limits))
	name := fmt.Sprint(a, i)
	if p.shape.changing {
		name = a.String()
	}
	return weir.Check{
		Key:   weir.Key{Layer: "alike", Limit: name, Identity: fmt.Sprint(who)},
		Limit: limits[i], Cost: int64(p.r.IntN(4) * p.r.IntN(4)), Peek: p.r.IntN(6) == 0,
	}
}

func (p *pair) take(checks []weir.Check) weir.Decision {
	p.Helper()
	want, got := make([]weir.Result, len(checks)), make([]weir.Result, len(checks))
	if err := p.memory.Take(context.Background(), checks, want); err != nil {
		p.Fatal(err)
	}
	if err := p.redis.Take(context.Background(), checks, got); err != nil {
		p.Fatal(err)
	}
	if !slices.Equal(got, want) {
		for _, c := range checks {
			p.Logf("%s %s: %d of %s, %s, shadow %t, peek %t", c.Key.Identity, c.Key.Limit, c.Cost, c.Limit, c.Group.Charge, c.Group.Shadow, c.Peek)
		}
		p.Fatalf("at %s, - memory, + redis:\n%s", p.clock.read(), cmp.Diff(want, got))
	}
	d := weir.Decide(weir.NewID(), checks, got)
	p.count(d)
	if len(d.Charges()) > 0 {
		p.past = append(p.past, d)
	}
	return d
}

func (p *pair) count(d weir.Decision) {
	for i, r := range d.Results {
		p.checks++
		switch {
		case r.Charged:
			p.charged++
		case !r.Allowed:
			p.refused++
		case d.Checks[i].Cost > 0 && !d.Checks[i].Peek:
			p.givenBack++
		}
	}
}

// refund gives back one of the last decisions.
func (p *pair) refund() weir.Decision {
	p.Helper()
	i := max(0, len(p.past)-1-p.r.IntN(8))
	d := p.past[i]
	p.past = append(p.past[:i], p.past[i+1:]...)
	want, err := p.memory.Refund(context.Background(), d.ID, d.Charges())
	if err != nil {
		p.Fatal(err)
	}
	got, err := p.redis.Refund(context.Background(), d.ID, d.Charges())
	if err != nil || got != want {
		p.Fatalf("refund of %+v: %t, %v; memory %t", d.Charges(), got, err, want)
	}
	if got {
		p.refunded++
	}
	return d
}

// healthy fails a test that proves little because its requests are dull.
func (p *pair) healthy() {
	p.Helper()
	p.Logf("%d checks: %d charged, %d refused, %d passed uncharged; %d refunds gave something", p.checks, p.charged, p.refused, p.givenBack, p.refunded)
	if p.charged < p.checks/6 || p.refused < p.checks/6 || p.givenBack < p.checks/50 || p.refunded < p.checks/100 {
		p.Error("too few of one kind")
	}
}
