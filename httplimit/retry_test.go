package httplimit

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A client that sleeps exactly Retry-After and comes alone is admitted: for every
// algorithm, several layers, whichever way they are charged, and 1000 random rules.
// Every other time it sleeps only as long as the decision says, to the microsecond.
func TestWhoeverWaitsIsAdmitted(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	waits := map[weir.Algorithm]int{} // which algorithm told the wait
	store, clock := newStore(t)
	for rule := range 1000 {
		c := client{T: t, store: store, clock: clock, now: clock.read().Sub(t0), random: random, name: strconv.Itoa(rule)}
		c.checks = c.rule(weir.Algorithms()[rule%5])
		for range 60 {
			c.pass()
			d := c.ask()
			if d.Allowed {
				continue
			}
			waits[d.Checks[d.Tightest].Limit.Algorithm()]++
			c.sleep(&d)
			if again := c.ask(); !again.Allowed {
				t.Fatalf("rule %d: waited %s and was refused again, for %s\nfirst  %+v\nsecond %+v\nchecks %v", rule, d.RetryAfter, again.RetryAfter, d.Results, again.Results, c.describe())
			}
		}
	}
	for _, a := range weir.Algorithms() {
		if waits[a] < 1000 {
			t.Errorf("set-up: %s told only %d waits", a, waits[a])
		}
	}
}

type client struct {
	*testing.T
	store  *weir.MemoryStore
	clock  *clock
	now    time.Duration // since t0
	random *rand.Rand
	name   string
	checks []weir.Check
}

// rule is one to four layers of one or two limits each; the first is of algorithm a.
func (c *client) rule(a weir.Algorithm) []weir.Check {
	var checks []weir.Check
	for layer := range 1 + c.random.IntN(4) {
		group := &weir.Group{Charge: weir.Charging(c.random.IntN(3)), Shadow: layer > 0 && c.random.IntN(8) == 0}
		for i := range 1 + c.random.IntN(2) {
			l := c.limit(a)
			key := weir.Key{Layer: strconv.Itoa(layer), Limit: strconv.Itoa(i), Identity: c.name}
			checks = append(checks, weir.Check{Key: key, Limit: l, Cost: 1 + c.random.Int64N(min(3, l.Capacity())), Group: group})
			a = weir.Algorithms()[c.random.IntN(5)]
		}
	}
	return checks
}

func (c *client) limit(a weir.Algorithm) *weir.Limit {
	period := []time.Duration{time.Second, time.Minute, time.Hour, 13 * time.Second, 999_983 * time.Microsecond, 70 * time.Millisecond}[c.random.IntN(6)]
	options := []weir.LimitOption{weir.WithAlgorithm(a)}
	if a.HasBurst() && c.random.IntN(2) == 0 {
		options = append(options, weir.WithBurst(1+c.random.Int64N(9)))
	}
	if a == weir.FixedWindow && c.random.IntN(4) == 0 {
		options = append(options, weir.WithCountAll())
	}
	return limit(c.T, weir.Per(1+c.random.Int64N(9), period), options...)
}

// pass lets some time pass: often none, so that limits are reached.
func (c *client) pass() {
	if c.random.IntN(3) == 0 {
		c.at(c.now + time.Duration(c.random.Int64N(int64(c.checks[0].Limit.Rate().Period/2)))/time.Microsecond*time.Microsecond)
	}
}

func (c *client) at(now time.Duration) {
	c.now = now
	c.clock.at(now)
}

func (c *client) ask() weir.Decision {
	results := make([]weir.Result, len(c.checks))
	if err := c.store.Take(context.Background(), c.checks, results); err != nil {
		c.Fatal(err)
	}
	return weir.Decide(weir.NewID(), c.checks, results)
}

// sleep is what a client does that reads Retry-After.
func (c *client) sleep(d *weir.Decision) {
	if c.random.IntN(2) == 0 {
		c.at(c.now + d.RetryAfter)
		return
	}
	header := http.Header{}
	Headers{}.Set(header, d)
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		c.Fatalf("Retry-After is %q for %s", header.Get("Retry-After"), d.RetryAfter)
	}
	c.at(c.now + time.Duration(seconds)*time.Second)
}

func (c *client) describe() (lines []string) {
	for _, check := range c.checks {
		lines = append(lines, check.Key.Layer+"/"+check.Key.Limit+" "+check.Limit.String()+" "+check.Group.Charge.String())
	}
	return lines
}
