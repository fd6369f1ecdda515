package redisstore_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// A log of 60,000 requests takes well under a fifth of what a sorted set of the
// same takes, and a request at its limit is refused, with the exact wait, as fast
// as at any.
func TestLogIsSmall(t *testing.T) {
	const entries = 60_000
	server := sharedServer(t)
	clock := newClock()
	store := open(t, urlOf(server), clock.options()...)
	limit, k := limitOf(t, weir.PerHour(entries), weir.WithAlgorithm(weir.SlidingLog)), key("a")
	fill(t, store, clock, k, limit, entries)
	r := take(t, store, k, limit, 1)
	if wait := time.Hour - entries/100*10*time.Millisecond; r.Allowed || r.RetryAfter < wait || r.RetryAfter > time.Hour {
		t.Errorf("the log is full: %+v", r)
	}

	server.Do("eval", `for i = 1, tonumber(ARGV[1]) do
  local stamp = string.format('%d%06d', 1816214400 + i / 6000, i % 6000)
  redis.call('ZADD', KEYS[1], stamp, stamp .. '-' .. i)
end`, "1", "sorted set", strconv.Itoa(entries))
	size := func(key string) int {
		n, err := strconv.Atoi(server.Do("memory", "usage", key, "samples", "0"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	list, set := size(redisstore.KeyName(store, k)), size("sorted set")
	t.Logf("%.1f bytes an entry, %.1f in a sorted set", float64(list)/entries, float64(set)/entries)
	if list*6 > set {
		t.Errorf("the log takes %d bytes, a sorted set %d", list, set)
	}

	server.Do("config", "resetstat")
	for range 100 {
		take(t, store, k, limit, 1)
	}
	// A walk through all entries would take milliseconds.
	if us := usecPerCall(server, "evalsha"); us > 500 {
		t.Errorf("a refusal took the server %.0f µs", us)
	}
	// Once after a fail-over to a slow clock, entries are rewritten.
	server.Do("config", "resetstat")
	clock.pass(-time.Minute)
	take(t, store, k, limit, 1)
	t.Logf("bringing the log to now took the server %.0f ms", usecPerCall(server, "evalsha")/1000)
	if left := peek(t, store, k, limit, 1).Remaining; left != 0 {
		t.Errorf("after a step back %d remain", left)
	}
}

// The wait is for as many of the oldest entries as it takes, however many.
func TestWaitBehindManyEntries(t *testing.T) {
	clock := newClock()
	store := open(t, urlOf(sharedServer(t)), clock.options()...)
	limit, k := limitOf(t, weir.PerHour(200), weir.WithAlgorithm(weir.SlidingLog)), key("a")
	for range 200 {
		clock.pass(time.Second)
		take(t, store, k, limit, 1)
	}
	for _, n := range []int64{1, 2, 63, 64, 65, 127, 128, 129, 192, 193, 200} {
		want := time.Hour - 200*time.Second + time.Duration(n)*time.Second
		if r := peek(t, store, k, limit, n); r.RetryAfter != want {
			t.Errorf("%d more: %s, want %s", n, r.RetryAfter, want)
		}
	}
}

// fill takes n times one, with a hundred callers and a clock that moves.
func fill(t *testing.T, store weir.Store, clock *clock, k weir.Key, limit *weir.Limit, n int) {
	t.Helper()
	var callers sync.WaitGroup
	for range 100 {
		callers.Go(func() {
			for range n / 100 {
				clock.now.Add(1)
				if r := take(t, store, k, limit, 1); !r.Charged {
					t.Errorf("set-up: %+v", r)
				}
			}
		})
	}
	callers.Wait()
}
