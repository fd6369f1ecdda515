package redisstore_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// lifetime is a key on a server, and whether it lives as long as it should.
type lifetime struct {
	*testing.T
	store  *redisstore.Store
	server *redistest.Server
	key    weir.Key
}

// livesAsLong checks that the key outlives what the take, made at start, says of
// it, by two seconds at most: the margin, and what the machine takes.
func (l *lifetime) livesAsLong(r weir.Result, start time.Time) {
	l.Helper()
	text := l.server.Do("pttl", redisstore.KeyName(l.store, l.key))
	elapsed := time.Since(start)
	ms, err := strconv.Atoi(text)
	if err != nil {
		l.Fatal(err)
	}
	got := time.Duration(ms) * time.Millisecond
	if got+elapsed < r.ResetAfter || got > r.ResetAfter+2*time.Second {
		l.Errorf("%s to live after %s, and it matters for %s: %+v", got, elapsed, r.ResetAfter, r)
	}
}

func (l *lifetime) take(limit *weir.Limit, n int64) weir.Result {
	l.Helper()
	start := time.Now()
	r := take(l, l.store, l.key, limit, n)
	if r.Charged {
		l.livesAsLong(r, start)
	}
	return r
}

// A key lives until its state says nothing any more and a second longer, whatever
// the window (B21), and for a bucket until it is full again, not for a period
// (B19): a burst of 100 at 10/min is forgiven after ten minutes.
func TestLifetimes(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server))
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		for _, period := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second, time.Hour, 30 * 24 * time.Hour} {
			limits := []*weir.Limit{limitOf(t, weir.Per(5, period), weir.WithAlgorithm(a))}
			if a.HasBurst() {
				limits = append(limits, limitOf(t, weir.Per(5, period), weir.WithAlgorithm(a), weir.WithBurst(50)))
			}
			for i, limit := range limits {
				l := &lifetime{t, store, server, key(fmt.Sprint(a, period, i))}
				for _, n := range []int64{1, 2, 1, limit.Capacity() - 4} {
					l.take(limit, n)
				}
			}
		}
	})
}

// A window of 10 ms limits as any other does.
func TestTinyWindow(t *testing.T) {
	server := sharedServer(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		clock := newClock()
		store := open(t, urlOf(server), clock.options()...)
		limit := limitOf(t, weir.Per(5, 10*time.Millisecond), weir.WithAlgorithm(a))
		admitted := 0
		for range 50 {
			if take(t, store, key(t.Name()), limit, 1).Allowed {
				admitted++
			}
		}
		if admitted != 5 {
			t.Errorf("%d of 5 passed", admitted)
		}
	})
}

// A refusal, a peek and a take of 0 leave a key as it is: not a byte, not a
// millisecond is different (B56, B57). Where there is no key, they make none.
func TestWhatTakesNothingTouchesNothing(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server), newClock().options()...) // no window ends meanwhile
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limit, k := limitOf(t, weir.PerHour(10), weir.WithAlgorithm(a)), key(t.Name())
		name := redisstore.KeyName(store, k)
		look := func() string { return server.Do("dump", name) + " " + server.Do("pexpiretime", name) }
		for _, taken := range []int64{0, 8, 2} {
			take(t, store, k, limit, taken)
			before := look()
			take(t, store, k, limit, 0)
			peek(t, store, k, limit, 1)
			peek(t, store, k, limit, 5)
			for _, n := range []int64{11, 1_000_000} {
				if r := take(t, store, k, limit, n); r.Allowed {
					t.Fatalf("set-up: %+v", r)
				}
			}
			if taken > 0 {
				if r := take(t, store, k, limit, 5); r.Allowed {
					t.Fatalf("set-up: %+v", r)
				}
			}
			if after := look(); after != before {
				t.Errorf("%q, was %q", after, before)
			}
		}
	})
}

// Whoever has used up 1009/min with a burst of 1000 owes hours under 7/min. Its
// key's minute is extended by the first call under the new limit, though that is
// refused; and so it is with a longer window.
func TestRefusalUnderAnotherRateExtends(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server))
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		options := []weir.LimitOption{weir.WithAlgorithm(a)}
		if a.HasBurst() {
			options = append(options, weir.WithBurst(1000))
		}
		short, long := limitOf(t, weir.PerMinute(1009), options...), limitOf(t, weir.Per(7, 30*time.Minute), options...)
		l := &lifetime{t, store, server, key(t.Name())}
		l.take(short, short.Capacity())
		start := time.Now()
		r := l.take(long, 5)
		if r.Allowed || r.ResetAfter < time.Minute && a != weir.FixedWindow {
			t.Fatalf("set-up: %+v", r)
		}
		l.livesAsLong(r, start)
	})
}

// A refund shortens a key's life to what is left of its state.
func TestRefundShortens(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server))
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limit := limitOf(t, weir.PerHour(10), weir.WithAlgorithm(a))
		l := &lifetime{t, store, server, key(t.Name())}
		l.take(limit, 2)
		d := weir.Decide(weir.NewID(), []weir.Check{{Key: l.key, Limit: limit, Cost: 5}}, []weir.Result{l.take(limit, 5)})
		start := time.Now()
		if gave, err := store.Refund(context.Background(), d.ID, d.Charges()); err != nil || !gave {
			t.Fatal(gave, err)
		}
		l.livesAsLong(peek(t, store, l.key, limit, 1), start)
	})
}

// A state from the future that is rewritten, as it is by a call under another
// rate, lives until its own end: a bucket's is that of its instant, which stays.
func TestLifetimeAfterAStepBack(t *testing.T) {
	server := sharedServer(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		clock := newClock()
		store := open(t, urlOf(server), redisstore.WithClock(clock.read))
		first, second := limitOf(t, weir.PerHour(100), weir.WithAlgorithm(a)), limitOf(t, weir.Per(90, 2*time.Hour), weir.WithAlgorithm(a))
		l := &lifetime{t, store, server, key(t.Name())}
		clock.pass(15 * time.Minute)
		l.take(first, 50)
		clock.pass(-10 * time.Minute)
		start := time.Now()
		r := l.take(second, 90)
		if r.Allowed {
			t.Fatalf("set-up: %+v", r)
		}
		l.livesAsLong(r, start)
	})
}

// The margin is what a user says.
func TestMargin(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server), redisstore.WithMargin(time.Hour))
	limit := limitOf(t, weir.PerSecond(1))
	take(t, store, key("a"), limit, 1)
	ms, err := strconv.Atoi(server.Do("pttl", redisstore.KeyName(store, key("a"))))
	if left := time.Duration(ms) * time.Millisecond; err != nil || left < 59*time.Minute || left > time.Hour+2*time.Second {
		t.Errorf("%s to live, %v", left, err)
	}
}
