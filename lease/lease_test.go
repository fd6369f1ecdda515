package lease_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/lease"
	"github.com/weirhq/weir/storetest"
)

// Without leases nobody notices that it is there.
func TestContractWithoutLeases(t *testing.T) {
	storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
		shared := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock, MaxKeys: 1 << 16})
		store := lease.New(shared, lease.Options{Clock: clock})
		t.Cleanup(func() { store.Close(); shared.Close() })
		return store
	})
}

// A limit without a lease is asked for every time.
func TestNoLeaseByDefault(t *testing.T) {
	f := newFleet(t, 1)
	limit := limitOf(t, weir.PerMinute(10_000))
	for range 100 {
		take(t, f.nodes[0], key("a"), limit, 1)
	}
	if calls, s := f.nodes[0].primary.takes.Load(), f.nodes[0].Stats(); calls != 100 || s != (lease.Stats{}) {
		t.Errorf("%d calls, %+v", calls, s)
	}
}

// A busy key costs few calls, no request is lost, and every answer is the one that
// it would have got at the lease's instant: what remains goes down by one.
func TestBusyKey(t *testing.T) {
	eachLeased(t, func(t *testing.T, a weir.Algorithm) {
		f := newFleet(t, 1)
		n, limit := f.nodes[0], limitOf(t, weir.PerMinute(10_000), weir.WithAlgorithm(a), weir.WithLease(5))
		for i := range int64(10_000) {
			r := take(t, n, key("a"), limit, 1)
			if !r.Allowed || !r.Charged || r.Limit != 10_000 || r.Remaining != 10_000-i-1 || (r.NextAfter == 0) != (r.Remaining > 0) || r.ResetAfter <= 0 || r.At != f.clock.us.Load() {
				t.Fatalf("take %d: %+v", i, r)
			}
			if want := levelOf(a, i); r.Before != want {
				t.Fatalf("take %d: before it %+v, want %+v", i, r.Before, want)
			}
		}
		if r := take(t, n, key("a"), limit, 1); r.Allowed || r.RetryAfter <= 0 || r.Remaining != 0 {
			t.Errorf("one more: %+v", r)
		}
		calls, s := n.primary.takes.Load(), n.Stats()
		t.Logf("%d calls for 10,001 requests: %+v", calls, s)
		if calls > 100 || s.Local < 9_900 {
			t.Error("too many calls")
		}
	})
}

// levelOf is a level that only buckets have.
func levelOf(a weir.Algorithm, whole int64) weir.Level {
	if a.HasBurst() {
		return weir.Level{Whole: whole}
	}
	return weir.Level{}
}

// A key that is asked for now and then is not leased.
func TestQuietKey(t *testing.T) {
	f := newFleet(t, 1)
	limit := limitOf(t, weir.PerMinute(10_000), weir.WithLease(5))
	for range 100 {
		take(t, f.nodes[0], key("a"), limit, 1)
		f.clock.pass(time.Second / 5)
	}
	if s := f.nodes[0].Stats(); s.Taken != 0 {
		t.Errorf("%+v", s)
	}
}

// The worst that a lease does, which is what the bound says: leases taken at the end
// of a window are used in the next one.
func TestOverAdmissionIsAtMostALeaseForEachNode(t *testing.T) {
	f := newFleet(t, 3)
	limit := limitOf(t, weir.PerMinute(1000), weir.WithAlgorithm(weir.FixedWindow), weir.WithLease(5))
	f.clock.pass(time.Minute - time.Millisecond)
	held := int64(0)
	for _, n := range f.nodes {
		for i := 0; n.Stats().Taken < 4 && i < 100; i++ { // 8, 16, 32 and 50
			take(t, n, key("a"), limit, 1)
		}
		left, _ := lease.Held(n.Store)
		held += left
	}
	if want := 3 * (limit.Lease() - 1); held != want {
		t.Fatalf("set-up: %d are held, want %d", held, want)
	}
	f.clock.pass(time.Millisecond) // the next window
	passed := int64(0)
	for range 2000 {
		for _, n := range f.nodes {
			if take(t, n, key("a"), limit, 1).Allowed {
				passed++
			}
		}
	}
	if want := 1000 + held; passed != want {
		t.Errorf("%d passed in one window, want %d", passed, want)
	}
}

// After its end a lease admits nobody, and what is left is given back.
func TestEndOfALease(t *testing.T) {
	eachLeased(t, func(t *testing.T, a weir.Algorithm) {
		f := newFleet(t, 1)
		n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithAlgorithm(a), weir.WithLease(5))
		used := n.warmUp(t, key("a"), limit)
		held, _ := lease.Held(n.Store)
		if got := f.remaining(key("a"), limit); held < 2 || got != 1000-used-held {
			t.Fatalf("%d are held of a lease, %d were used, %d remain", held, used, got)
		}
		f.clock.pass(time.Second)
		local := n.Stats().Local
		take(t, n, key("a"), limit, 1)
		if n.Stats().Local != local {
			t.Error("admitted from a lease that is over")
		}
		lease.Sweep(n.Store)
		if got := f.remaining(key("a"), limit); got < 1000-used-1 || got > 1000-used {
			t.Errorf("%d remain, want %d or, with what has drained, one more", got, 1000-used-1)
		}
		if s := n.Stats(); s.GivenBack != held {
			t.Errorf("%+v, want %d given back", s, held)
		}
		if c := *n.primary.last.Load(); c.Cost != held || c.Before != levelOf(a, used) {
			t.Errorf("%+v is given back, want the last %d of %d", c, held, used+held)
		}
		for range 5 {
			f.clock.pass(time.Second)
			lease.Sweep(n.Store)
		}
		if requests, keys := lease.Held(n.Store); requests != 0 || keys != 0 {
			t.Errorf("%d requests of %d keys are held for ever", requests, keys)
		}
	})
}

// The sweeper does so by itself.
func TestSweeper(t *testing.T) {
	f := newFleet(t, 0)
	n := lease.New(f.shared, lease.Options{})
	t.Cleanup(func() { n.Close() })
	limit := limitOf(t, weir.PerDay(100_000), weir.WithAlgorithm(weir.FixedWindow), weir.WithLease(5))
	used := int64(0)
	redistest.Until(t, 10*time.Second, func() bool {
		for range 20 {
			take(t, n, key("a"), limit, 1)
			used++
		}
		return n.Stats().Local > 0
	}, "there is a lease")
	redistest.Until(t, 10*time.Second, func() bool { return n.Stats().GivenBack > 0 }, "what is left is given back")
	if got := f.remaining(key("a"), limit); got != 100_000-used {
		t.Errorf("%d remain, want %d", got, 100_000-used)
	}
}

// Close gives back; a node that dies does not, and what it held drains.
func TestEndOfANode(t *testing.T) {
	f := newFleet(t, 2)
	limit := limitOf(t, weir.PerHour(1000), weir.WithAlgorithm(weir.FixedWindow), weir.WithLease(10))
	used := f.nodes[0].warmUp(t, key("a"), limit)
	f.nodes[0].Close()
	f.nodes[0].Close()
	if got := f.remaining(key("a"), limit); got != 1000-used {
		t.Errorf("%d remain after Close, want %d", got, 1000-used)
	}
	calls := f.nodes[0].primary.takes.Load()
	for range 50 {
		take(t, f.nodes[0], key("a"), limit, 1)
	}
	if f.nodes[0].primary.takes.Load() != calls+50 {
		t.Error("a closed store leases")
	}

	used = 50 + used + f.nodes[1].warmUp(t, key("a"), limit)
	held, _ := lease.Held(f.nodes[1].Store)
	gone := errors.New("gone")
	f.nodes[1].primary.fails.Store(&gone) // a death, as the others see it
	f.nodes[1].Close()
	if got := f.remaining(key("a"), limit); got != 1000-used-held {
		t.Errorf("%d remain, want %d: what died with the node stays charged", got, 1000-used-held)
	}
	f.clock.pass(time.Hour)
	if got := f.remaining(key("a"), limit); got != 1000 {
		t.Errorf("%d remain in the next window", got)
	}
}

// While the store does not answer, what was leased is still admitted: it is charged.
// Nothing else is.
func TestStoreThatIsGone(t *testing.T) {
	f := newFleet(t, 1)
	n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithLease(5))
	n.warmUp(t, key("a"), limit)
	held, _ := lease.Held(n.Store)
	down := errors.New("down")
	n.primary.fails.Store(&down)
	for range held {
		if r := take(t, n, key("a"), limit, 1); !r.Allowed || r.Degraded {
			t.Fatalf("%+v", r)
		}
	}
	var r [1]weir.Result
	if err := n.Take(t.Context(), []weir.Check{{Key: key("a"), Limit: limit, Cost: 1}}, r[:]); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
	n.primary.fails.Store(nil)
	if r := take(t, n, key("a"), limit, 1); !r.Allowed {
		t.Errorf("%+v", r)
	}
}

// Within package failover a lease is admitted while the server is silent, not as a
// degraded answer and at no cost in time; after it on_error decides, and nothing that
// was charged in memory is ever leased.
func TestWithinFailover(t *testing.T) {
	server := redistest.Start(t)
	f := newFleetOn(t, "redis://"+server.Addr, 1)
	n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithLease(5))
	store := failover.New(n, failover.Options{})
	t.Cleanup(func() { store.Close() })
	n.warmUp(t, key("a"), limit)
	held, _ := lease.Held(n.Store)
	server.Pause()
	t.Cleanup(server.Resume)
	calls := n.primary.takes.Load()
	for range held {
		if r := take(t, store, key("a"), limit, 1); !r.Charged || r.Degraded {
			t.Fatalf("%+v", r)
		}
	}
	if n.primary.takes.Load() != calls {
		t.Error("asked for what is leased")
	}
	for range 50 {
		if r := take(t, store, key("a"), limit, 1); !r.Charged || !r.Degraded {
			t.Fatalf("%+v", r)
		}
	}
	if held, _ := lease.Held(n.Store); held != 0 {
		t.Errorf("%d are held", held)
	}
}

// What was admitted from a lease is refunded by any process, once, and leaves what
// it would have left had it come alone.
func TestRefundOfALeasedRequest(t *testing.T) {
	eachLeased(t, func(t *testing.T, a weir.Algorithm) {
		f := newFleet(t, 2)
		n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithAlgorithm(a), weir.WithLease(5))
		n.warmUp(t, key("a"), limit)
		c := weir.Check{Key: key("a"), Limit: limit, Cost: 2}
		r := decide(t, n, c)[0]
		before, id := f.remaining(c.Key, limit), weir.NewID()
		for i, want := range []bool{true, false} {
			gave, err := f.nodes[1].Refund(t.Context(), id, []weir.Charge{weir.Charged(c, r)})
			if gave != want || err != nil {
				t.Errorf("refund %d: %v, %v", i+1, gave, err)
			}
		}
		if got := f.remaining(c.Key, limit); got != before+2 {
			t.Errorf("%d remain, want %d", got, before+2)
		}
	})
}

// A reset ends the process's lease of the key, and of no other.
func TestReset(t *testing.T) {
	f := newFleet(t, 1)
	n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithLease(5))
	n.warmUp(t, key("b"), limit)
	other, _ := lease.Held(n.Store)
	for range 20 {
		take(t, n, key("a"), limit, 1)
	}
	if err := n.Reset(t.Context(), []weir.Key{key("a")}); err != nil {
		t.Fatal(err)
	}
	if held, _ := lease.Held(n.Store); held != other {
		t.Errorf("%d are held, want %d", held, other)
	}
	if r := take(t, n, key("a"), limit, 1); r.Remaining != 999 {
		t.Errorf("%+v", r)
	}
}

// Under another limit the key is asked for at once; the old lease is given back.
func TestChangedLimit(t *testing.T) {
	f := newFleet(t, 1)
	n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithLease(5))
	used := n.warmUp(t, key("a"), limit)
	for _, other := range []*weir.Limit{limitOf(t, weir.PerHour(500), weir.WithLease(10)), limitOf(t, weir.PerHour(1000), weir.WithLease(4)), limitOf(t, weir.PerHour(1000))} {
		local := n.Stats().Local
		take(t, n, key("a"), other, 1)
		if used++; n.Stats().Local != local {
			t.Errorf("a lease under %s admits under %s", limit, other)
		}
	}
	f.clock.pass(time.Second)
	lease.Sweep(n.Store)
	if got := f.remaining(key("a"), limit); got < 1000-used || got > 1000-used+1 {
		t.Errorf("%d remain, want %d", got, 1000-used)
	}
}

// What wants to know, is reported apart or is decided alone is always asked for.
func TestWhatIsNotLeased(t *testing.T) {
	f := newFleet(t, 1)
	n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithLease(10))
	n.warmUp(t, key("a"), limit)
	leased, plain := weir.Check{Key: key("a"), Limit: limit, Cost: 1}, weir.Check{Key: key("b"), Limit: limitOf(t, weir.PerHour(1000)), Cost: 1}
	with := func(change func(*weir.Check)) weir.Check { c := leased; change(&c); return c }
	independent := with(func(c *weir.Check) { c.Group = &weir.Group{Charge: weir.Independent} })
	for name, checks := range map[string][]weir.Check{
		"a peek":                       {with(func(c *weir.Check) { c.Peek = true })},
		"a cost of 0":                  {with(func(c *weir.Check) { c.Cost = 0 })},
		"more than a lease":            {with(func(c *weir.Check) { c.Cost = 101 })},
		"a shadow":                     {with(func(c *weir.Check) { c.Group = &weir.Group{Shadow: true} })},
		"beside one without a lease":   {leased, plain},
		"independent, beside others":   {independent, with(func(c *weir.Check) { c.Key = key("c") })},
		"the same key twice by itself": {independent, independent},
	} {
		t.Run(name, func(t *testing.T) {
			local, calls := n.Stats().Local, n.primary.takes.Load()
			decide(t, n, checks...)
			if n.Stats().Local != local || n.primary.takes.Load() != calls+1 {
				t.Error("not asked for, in one call")
			}
		})
	}
}

// A request of several layers is admitted from leases where all have one. Where one
// refuses, each is charged as without leases.
func TestSeveralLayers(t *testing.T) {
	t.Run("one server", func(t *testing.T) { severalLayers(t, newFleet(t, 1)) })
	t.Run("cluster", func(t *testing.T) { severalLayers(t, newFleetOn(t, redistest.SharedCluster(t).URL(), 1)) })
}

func severalLayers(t *testing.T, f *fleet) {
	t.Helper()
	n := f.nodes[0]
	wide := limitOf(t, weir.PerHour(10_000), weir.WithLease(5))
	tight := limitOf(t, weir.PerHour(200), weir.WithLease(5))
	checks := []weir.Check{{Key: key("edge"), Limit: wide, Cost: 1, Group: &weir.Group{}}, {Key: key("route"), Limit: tight, Cost: 2, Group: &weir.Group{}}}
	for i := range int64(100) {
		for j, r := range decide(t, n, checks...) {
			off := checks[j].Limit.Capacity() - (i+1)*checks[j].Cost - r.Remaining
			if l := checks[j].Limit.Lease(); !r.Charged || off < -l || off > l {
				t.Fatalf("request %d: %+v", i, r)
			}
		}
	}
	if s := n.Stats(); s.Local < 50 {
		t.Errorf("%+v", s)
	}
	r := decide(t, n, checks...)
	if !r[0].Charged || r[1].Allowed || r[1].RetryAfter <= 0 {
		t.Errorf("%+v", r)
	}
	n.Close()
	if edge, route := f.remaining(key("edge"), wide), f.remaining(key("route"), tight); edge != 10_000-101 || route != 0 {
		t.Errorf("%d and %d remain", edge, route)
	}
}

// A process's own lease does not refuse its own request.
func TestOwnLeaseMakesRoom(t *testing.T) {
	eachLeased(t, func(t *testing.T, a weir.Algorithm) {
		f := newFleet(t, 1)
		n, limit := f.nodes[0], limitOf(t, weir.PerHour(1000), weir.WithAlgorithm(a), weir.WithLease(5))
		used := n.warmUp(t, key("a"), limit)
		if r := take(t, n, key("a"), limit, 1000-used+1); r.Allowed {
			t.Errorf("one too many: %+v", r)
		}
		if held, _ := lease.Held(n.Store); held == 0 {
			t.Error("given back for nothing")
		}
		if r := take(t, n, key("a"), limit, 1000-used); !r.Charged || r.Remaining != 0 {
			t.Errorf("all that is left: %+v", r)
		}
	})
}

// slow is a store that does something before or after its first enlarged take.
type slow struct {
	weir.Store
	before, after func([]weir.Result)
}

func (s *slow) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if checks[0].Cost < 8 {
		return s.Store.Take(ctx, checks, results)
	}
	if s.before != nil {
		s.before(results)
	}
	err := s.Store.Take(ctx, checks, results)
	if s.after != nil {
		s.after(results)
	}
	return err
}

// What happens while a lease is on its way: nobody else asks for another, and it is
// not used after a reset, after Close, or where it was not the store that gave it.
func TestWhileALeaseIsOnItsWay(t *testing.T) {
	limit := limitOf(t, weir.PerHour(1000), weir.WithAlgorithm(weir.FixedWindow), weir.WithLease(5))
	for _, c := range []struct {
		name          string
		before, after func(n *lease.Store, r []weir.Result)
		remaining     int64
	}{
		{"a take", func(n *lease.Store, _ []weir.Result) { take(t, n, key("a"), limit, 1) }, nil, 1000 - 7 - 1 - 8},
		{"a reset", func(n *lease.Store, _ []weir.Result) { n.Reset(context.Background(), []weir.Key{key("a")}) }, nil, 1000 - 8},
		{"Close", func(n *lease.Store, _ []weir.Result) { n.Close() }, nil, 1000 - 8},
		{"the store's end", nil, func(_ *lease.Store, r []weir.Result) { r[0].Degraded = true }, 1000 - 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, 0)
			s := &slow{Store: f.shared}
			n := lease.NewStill(s, lease.Options{Clock: f.clock.now})
			t.Cleanup(func() { n.Close() })
			if c.before != nil {
				s.before = func(r []weir.Result) { c.before(n, r) }
			}
			if c.after != nil {
				s.after = func(r []weir.Result) { c.after(n, r) }
			}
			for range 8 { // with the last a lease of 8
				take(t, n, key("a"), limit, 1)
			}
			held, _ := lease.Held(n)
			if got := f.remaining(key("a"), limit); got != c.remaining || (held > 0) != (c.name == "a take") {
				t.Errorf("%d remain, want %d; %d are held", got, c.remaining, held)
			}
		})
	}
}

// Many callers, leases that end and are given back, resets and closing: in the end
// the store has charged what was admitted, no more and no less.
func TestConcurrentCallers(t *testing.T) {
	f := newFleet(t, 3)
	limit := limitOf(t, weir.PerHour(1_000_000), weir.WithAlgorithm(weir.FixedWindow), weir.WithLease(1))
	var callers sync.WaitGroup
	for c := range 12 {
		callers.Go(func() {
			n := f.nodes[c%3]
			for i := range 300 {
				var r [2]weir.Result
				checks := []weir.Check{{Key: key(fmt.Sprint(i % 2)), Limit: limit, Cost: 1 + int64(i%3)}, {Key: key("all"), Limit: limit, Cost: 1}}
				if i%5 == 0 {
					checks = checks[1:]
				}
				if err := n.Take(context.Background(), checks, r[:]); err != nil || !r[0].Charged {
					t.Errorf("%+v, %v", r, err)
				}
				if i%50 == 0 {
					f.clock.pass(300 * time.Millisecond)
				}
			}
		})
	}
	callers.Wait()
	local := int64(0)
	for _, n := range f.nodes {
		n.Close()
		local += n.Stats().Local
	}
	if got, want := 1_000_000-f.remaining(key("all"), limit), int64(12*300); got != want {
		t.Errorf("%d are charged, want %d", got, want)
	}
	if t.Logf("%d were admitted from leases", local); local < 20 {
		t.Errorf("set-up: only %d were admitted from leases", local)
	}
}
