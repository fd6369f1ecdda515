package redisstore_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// What is refused again without a call: where nothing is charged, and nothing else
// is to be known or counted. The keys are used up but where open is said.
func TestWhatIsRefusedWithoutACall(t *testing.T) {
	server, clock := sharedServer(t), newClock()
	store := open(t, urlOf(server), append(clock.options(), redisstore.WithDenyCache(time.Second))...)
	full := func(layer string, g *weir.Group) weir.Check {
		return weir.Check{Key: weir.Key{Layer: layer, Limit: "limit", Identity: t.Name()}, Limit: limitOf(t, weir.PerDay(3)), Cost: 1, Group: g}
	}
	vacant := func(g *weir.Group) weir.Check {
		c := full("open", g)
		c.Limit = limitOf(t, weir.PerDay(1_000_000))
		return c
	}
	group := func(c weir.Charging) *weir.Group { return &weir.Group{Charge: c} }
	shadow, both := &weir.Group{Shadow: true}, group(weir.Arriving)
	as := func(c weir.Check, change func(*weir.Check)) weir.Check { change(&c); return c }
	for _, c := range []struct {
		name   string
		asked  bool
		checks []weir.Check
	}{
		{"one check", false, []weir.Check{full("a", nil)}},
		{"of a group", false, []weir.Check{full("a", group(weir.Admitted))}},
		{"the first layer of two", false, []weir.Check{full("a", group(weir.Arriving)), vacant(group(weir.Arriving))}},
		{"a layer that is charged if all admit before it", false, []weir.Check{vacant(group(weir.Admitted)), full("a", group(weir.Arriving))}},
		{"two limits of a layer", false, []weir.Check{vacant(both), full("a", both)}},
		{"two independent ones that refuse", false, []weir.Check{full("a", group(weir.Independent)), full("b", group(weir.Independent))}},
		{"blocked", false, []weir.Check{as(full("c", nil), func(c *weir.Check) { c.Limit = limitOf(t, weir.PerDay(0)) })}},
		{"above the capacity", false, []weir.Check{as(full("a", nil), func(c *weir.Check) { c.Cost = 4 })}},
		{"an earlier layer to charge", true, []weir.Check{vacant(group(weir.Arriving)), full("a", group(weir.Arriving))}},
		{"an independent one that passes", true, []weir.Check{full("a", nil), vacant(group(weir.Independent))}},
		{"in shadow", true, []weir.Check{full("a", shadow)}},
		{"beside one in shadow", true, []weir.Check{full("a", nil), vacant(shadow)}},
		{"a peek", true, []weir.Check{as(full("a", nil), func(c *weir.Check) { c.Peek = true })}},
		{"beside a peek", true, []weir.Check{full("a", nil), as(vacant(nil), func(c *weir.Check) { c.Peek = true })}},
		{"beside a cost of 0", true, []weir.Check{full("a", nil), as(vacant(nil), func(c *weir.Check) { c.Cost = 0 })}},
		{"counted though refused", true, []weir.Check{as(full("d", nil), func(c *weir.Check) {
			c.Limit = limitOf(t, weir.PerDay(3), weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())
		})}},
		{"a key that is very long", true, []weir.Check{as(full("a", nil), func(c *weir.Check) { c.Key.Identity = strings.Repeat("x", 600) })}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server.Do("flushall")
			store.ForgetRefusals()
			for _, one := range c.checks {
				if !one.Limit.Blocked() && one.Limit.Capacity() == 3 {
					take(t, store, one.Key, one.Limit, 3)
				}
			}
			first := decide(t, store, c.checks...)
			clock.pass(time.Millisecond)
			server.Do("config", "resetstat")
			again := decide(t, store, c.checks...)
			if asked := commandCalls(server, "evalsha") == 1; asked != c.asked {
				t.Errorf("asked again: %t", asked)
			}
			for i := range again {
				if again[i].Allowed != first[i].Allowed || again[i].Charged != first[i].Charged {
					t.Errorf("check %d: %+v, before: %+v", i, again[i], first[i])
				}
			}
		})
	}
}

// What this process changes counts at once, and so does another limit: the next
// request is asked for.
func TestWhatEndsARefusal(t *testing.T) {
	server, clock := sharedServer(t), newClock()
	store := open(t, urlOf(server), append(clock.options(), redisstore.WithDenyCache(time.Second))...)
	limit, k := limitOf(t, weir.PerDay(3)), key("a")
	var charged weir.Decision
	for name, change := range map[string]func(){
		"a reset":        func() { store.Reset(t.Context(), []weir.Key{k}) },
		"a refund":       func() { store.Refund(t.Context(), charged.ID, charged.Charges()) },
		"a raised limit": func() { limit = limitOf(t, weir.PerDay(4)) },
		"a reload and a reset elsewhere": func() {
			open(t, urlOf(server), clock.options()...).Reset(t.Context(), []weir.Key{k})
			store.ForgetRefusals()
		},
		"a second after a reset elsewhere": func() {
			open(t, urlOf(server), clock.options()...).Reset(t.Context(), []weir.Key{k})
			clock.pass(time.Second + time.Microsecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server.Do("flushall")
			store.ForgetRefusals()
			limit = limitOf(t, weir.PerDay(3))
			check := weir.Check{Key: k, Limit: limit, Cost: 3}
			charged = weir.Decide(weir.NewID(), []weir.Check{check}, decide(t, store, check))
			take(t, store, k, limit, 1)
			before := store.DenyCacheHits()
			take(t, store, k, limit, 1)
			if store.DenyCacheHits() != before+1 {
				t.Error("set-up: it is not remembered")
			}
			change()
			if r := take(t, store, k, limit, 1); !r.Allowed {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A refusal that was decided before a reset but arrives after it is not believed.
func TestRefusalThatArrivesLate(t *testing.T) {
	server := sharedServer(t)
	client, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	other := &plainClient{conn: client}
	var hold atomic.Bool
	decided, arrive := make(chan struct{}), make(chan struct{})
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(ctx context.Context, args ...any) (any, error) {
		reply, err := other.Do(ctx, args...)
		if hold.Swap(false) {
			decided <- struct{}{}
			<-arrive
		}
		return reply, err
	}), redisstore.WithDenyCache(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	limit, k := limitOf(t, weir.PerDay(1)), key("a")
	take(t, store, k, limit, 1)
	hold.Store(true)
	refused := make(chan weir.Result)
	go func() { refused <- take(t, store, k, limit, 1) }()
	<-decided
	if err := store.Reset(t.Context(), []weir.Key{k}); err != nil {
		t.Error(err)
	}
	close(arrive)
	if r := <-refused; r.Allowed {
		t.Error("set-up: it was not refused")
	}
	if r := take(t, store, k, limit, 1); !r.Allowed {
		t.Errorf("%+v", r)
	}
}

// slow is a client whose calls take time, of a clock that the test sets.
func slow(t *testing.T, there, back func() time.Duration) (*redisstore.Store, *clock) {
	server, clock := sharedServer(t), newClock()
	conn, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	client := &plainClient{conn: conn}
	// The request's instant is written before it is sent, so what the server's clock
	// would read is put in its place.
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(ctx context.Context, args ...any) (any, error) {
		clock.pass(there())
		head := []byte(args[4].(string))
		copy(head, redisstore.Double(clock.read().UnixMicro()))
		args[4] = string(head)
		reply, err := client.Do(ctx, args...)
		clock.pass(back())
		return reply, err
	}), append(clock.options(), redisstore.WithDenyCache(time.Hour))...)
	if err != nil {
		t.Fatal(err)
	}
	return store, clock
}

// Whatever a call takes there and back, nothing is refused that the server would
// admit, and whoever waits as long as was told is admitted, even if the next call
// takes no time.
func TestRefusalsAreNeverTooLong(t *testing.T) {
	r := randomness(t)
	var there, back time.Duration
	store, clock := slow(t, func() time.Duration { return there }, func() time.Duration { return back })
	hits := 0
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		for i := range rounds(60) {
			limit := limitOf(t, weir.Per(1+r.Int64N(9), time.Duration(1+r.IntN(2000))*time.Millisecond), weir.WithAlgorithm(a))
			k, cost := key(fmt.Sprint(t.Name(), i)), 1+r.Int64N(limit.Capacity())
			there, back = 0, 0
			for take(t, store, k, limit, 1).Allowed {
				clock.pass(time.Duration(r.IntN(1000)) * time.Microsecond)
			}
			there, back = time.Duration(r.IntN(3000))*time.Microsecond, time.Duration(r.IntN(3000))*time.Microsecond
			first := take(t, store, k, limit, cost)
			there, back = 0, 0
			for !first.Allowed {
				clock.pass(time.Duration(r.Int64N(int64(first.RetryAfter)/5+1000)) / time.Microsecond * time.Microsecond)
				before := store.DenyCacheHits()
				again := take(t, store, k, limit, cost)
				truth := peek(t, store, k, limit, cost)
				if store.DenyCacheHits() == before {
					break
				}
				hits++
				if again.Allowed || truth.Allowed {
					t.Fatalf("refused from memory: %+v, by the server: %+v", again, truth)
				}
				if late := again.RetryAfter - truth.RetryAfter; late < 0 || late > 3*time.Millisecond || again.Remaining > truth.Remaining || again.ResetAfter < truth.ResetAfter {
					t.Fatalf("from memory: %+v, by the server: %+v", again, truth)
				}
			}
		}
	})
	if hits < rounds(60) {
		t.Errorf("only %d refused from memory", hits)
	}
}

// A flood of refused keys does not grow what is remembered.
func TestRefusalsAreBounded(t *testing.T) {
	reply := string(redisstore.Double(1)) + "\x00\x00" // refused, and nothing there
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(context.Context, ...any) (any, error) { return reply, nil }), redisstore.WithDenyCache(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	blocked := limitOf(t, weir.PerDay(0))
	for i := range 100_000 {
		take(t, store, key(fmt.Sprint(i)), blocked, 1)
	}
	if n := redisstore.Denials(store); n > 1<<14 || n < 1<<13 {
		t.Errorf("%d are remembered", n)
	}
	if hits := store.DenyCacheHits(); hits != 0 {
		t.Errorf("%d keys were taken for others", hits)
	}
}

// A refusal from memory allocates nothing.
func TestRefusalsAllocateNothing(t *testing.T) {
	store := open(t, urlOf(sharedServer(t)), redisstore.WithDenyCache(time.Hour))
	checks, results := []weir.Check{{Key: key("a"), Limit: limitOf(t, weir.PerDay(1)), Cost: 1}}, make([]weir.Result, 1)
	ctx := context.Background()
	for range 2 {
		store.Take(ctx, checks, results)
	}
	if n := testing.AllocsPerRun(100, func() { store.Take(ctx, checks, results) }); n != 0 || store.DenyCacheHits() < 100 {
		t.Errorf("%v allocations, %d refused from memory", n, store.DenyCacheHits())
	}
}
