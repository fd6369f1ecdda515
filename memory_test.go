package weir_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir"
)

// The promises of every store are tested in package storetest, the table itself
// in internal/memory. This is the rest.

// MaxKeys is a hard bound; without one there is one.
func TestMaxKeys(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 100})
	defer store.Close()
	limiter := newLimiter(t, weir.PerHour(10), weir.WithStore(store))
	for i := range 1000 {
		if r, err := limiter.Allow(t.Context(), fmt.Sprint(i)); err != nil || !r.Allowed {
			t.Fatal(r, err)
		}
		if store.Len() > 100 {
			t.Fatalf("%d keys", store.Len())
		}
	}
	for _, maxKeys := range []int{0, -1} {
		store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: maxKeys})
		defer store.Close()
		limiter := newLimiter(t, weir.PerHour(10), weir.WithStore(store))
		for i := range 1000 {
			if _, err := limiter.Allow(t.Context(), fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		if store.Len() != 1000 {
			t.Errorf("MaxKeys %d: %d keys of 1000", maxKeys, store.Len())
		}
	}
}

// A key is the same one alone and at any place among others, whatever the names of the
// calls before were.
func TestKeysAreTheSameAtEveryPlace(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	limit, err := weir.NewLimit(weir.PerHour(1000))
	if err != nil {
		t.Fatal(err)
	}
	names := []weir.Key{{}, {Layer: "a"}, {Limit: "a"}, {Layer: "a", Limit: "b"}, {Layer: "ab"}, {Layer: "b", Limit: "a"}}
	var checks []weir.Check
	for _, k := range names {
		checks = append(checks, weir.Check{Key: k, Limit: limit, Cost: 1})
	}
	for range len(checks) {
		checks = append(checks[1:], checks[0])
		results := make([]weir.Result, len(checks))
		for n := 1; n <= len(checks); n++ {
			if err := store.Take(t.Context(), checks[:n], results); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := limit.Capacity() - int64(len(names)*(len(names)+1)/2)
	for _, c := range checks {
		var result [1]weir.Result
		c.Peek = true
		if err := store.Take(t.Context(), []weir.Check{c}, result[:]); err != nil || result[0].Remaining != want {
			t.Errorf("%q: %d remain, not %d; %v", c.Key, result[0].Remaining, want, err)
		}
	}
}

// Without a clock of its own a store goes by the wall clock's time at its start
// and the monotonic clock from there.
func TestStoreClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, weir.PerMinute(10))
		for range 3 {
			r, err := limiter.Allow(t.Context(), who)
			if err != nil || r.At != time.Now().UnixMicro() {
				t.Errorf("decided at %d, now is %d, %v", r.At, time.Now().UnixMicro(), err)
			}
			time.Sleep(time.Second)
		}
	})
}

// An instant before the Unix epoch is taken to be the epoch.
func TestClockBeforeTheEpoch(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(10), with(a))
		c.now = time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
		if got := c.passes(20); got != 10 {
			t.Errorf("%d of 20 pass", got)
		}
		if r := c.peek(1); r.At != 0 || r.ResetAfter < 0 || r.RetryAfter <= 0 {
			t.Errorf("%+v", r)
		}
	})
}

// A decision on known keys allocates nothing, through the limiter or the store,
// for one check or for three.
func TestDecisionsAllocateNothing(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(1000), with(a))
		own := newLimiter(t, weir.PerMinute(1000), with(a))
		checks := make([]weir.Check, 3)
		for i := range checks {
			checks[i] = weir.Check{Key: weir.Key{Layer: "layer", Limit: fmt.Sprint(i), Identity: who}, Limit: own.Limit(), Cost: 1, Group: &weir.Group{}}
		}
		results := make([]weir.Result, 3)
		take := func(n int) func() {
			return func() {
				if err := c.store.Take(context.Background(), checks[:n], results); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, f := range []struct {
			name   string
			decide func()
			pooled bool
		}{
			{"Allow", func() { own.Allow(context.Background(), who) }, false},
			{"Peek", func() { own.Peek(context.Background(), who, 1) }, false},
			{"Allow on a given store", func() { c.limiter.Allow(context.Background(), who) }, false},
			{"one check", take(1), false},
			{"three checks", take(3), true},
		} {
			if f.pooled && raceEnabled {
				continue // under the race detector a pool drops what it is given, at random
			}
			for range 600 { // a log's ring has grown by then
				f.decide()
			}
			if got := testing.AllocsPerRun(300, f.decide); got != 0 {
				t.Errorf("%s: %v allocations", f.name, got)
			}
		}
	})
}

// What another store says is left is the most that is left here; it gives nobody more,
// and changes nothing under a limit that admits nobody.
func TestLeaveAtMost(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	limits := make([]*weir.Limit, 2)
	for i, count := range []int64{10, 0} {
		limits[i], _ = weir.NewLimit(weir.PerHour(count))
	}
	limit, blocked := limits[0], limits[1]
	for _, c := range []struct {
		limit      *weir.Limit
		most, want int64
	}{{limit, 4, 4}, {limit, 7, 4}, {blocked, 0, 0}, {limit, 0, 0}} {
		key := weir.Key{Layer: "l", Limit: c.limit.String(), Identity: "a"}
		store.LeaveAtMost(key, c.limit, c.most)
		var r [1]weir.Result
		if err := store.Take(t.Context(), []weir.Check{{Key: key, Limit: c.limit, Cost: 1, Peek: true}}, r[:]); err != nil || r[0].Remaining != c.want {
			t.Errorf("%s, at most %d: %+v, %v, want %d", c.limit, c.most, r[0], err, c.want)
		}
	}
}
