package redisstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// Whatever bytes stand under a key, every call gets an answer that makes sense.
func TestAnyBytes(t *testing.T) {
	server, r := sharedServer(t), randomness(t)
	conn, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
			if r.IntN(3) == 0 {
				b[i] = []byte{0, 255}[r.IntN(2)]
			}
		}
		return string(b)
	}
	shapes := map[weir.Algorithm]func(name string) []string{
		weir.GCRA:           func(name string) []string { return []string{"set", name, "B" + random(31)} },
		weir.TokenBucket:    func(name string) []string { return []string{"set", name, "B" + random(31)} },
		weir.FixedWindow:    func(name string) []string { return []string{"set", name, "W" + random(20)} },
		weir.SlidingCounter: func(name string) []string { return []string{"set", name, "C" + random(23)} },
		weir.SlidingLog: func(name string) []string {
			command := []string{"rpush", name}
			for range r.IntN(5) {
				command = append(command, random(12-r.IntN(8)/7))
			}
			return append(command, "L"+random(13))
		},
	}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limits := extremeLimits(t, a)
		store := open(t, urlOf(server), append(newClock().options(), redisstore.WithPrefix("damaged"))...)
		for i := range rounds(300) {
			k := key(fmt.Sprint(t.Name(), i))
			put := shapes[a](redisstore.KeyName(store, k))
			if _, err := conn.Do(put...); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				limit := limits[r.IntN(len(limits))]
				n := 1 + r.Int64N(limit.Capacity())
				for _, result := range []weir.Result{peek(t, store, k, limit, n), take(t, store, k, limit, n), peek(t, store, k, limit, 1)} {
					if result.Remaining < 0 || result.Remaining > limit.Capacity() || result.RetryAfter < 0 || result.ResetAfter < 0 {
						t.Fatalf("%x under %s: %+v", put[2:], limit, result)
					}
				}
				charge := weir.Charge{Key: k, Limit: limit, Cost: n, At: now}
				if _, err := store.Refund(context.Background(), weir.NewID(), []weir.Charge{charge}); err != nil {
					t.Fatalf("%x under %s: %v", put[2:], limit, err)
				}
			}
		}
	})
}

// A server that is out of memory refuses the call and keeps what it has: a log is
// not left half written.
func TestOutOfMemoryLeavesKeysWhole(t *testing.T) {
	server := redistest.Start(t, "--maxmemory-policy", "noeviction")
	clock := newClock()
	store := open(t, urlOf(server), clock.options()...)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limit, k := limitOf(t, weir.PerMinute(10), weir.WithAlgorithm(a)), key(t.Name())
		take(t, store, k, limit, 4)
		clock.pass(time.Second)
		take(t, store, k, limit, 3)
		before := peek(t, store, k, limit, 1)
		server.Do("config", "set", "maxmemory", "1mb")
		for _, identity := range []weir.Key{k, key("new " + t.Name())} {
			err := store.Take(context.Background(), []weir.Check{{Key: identity, Limit: limit, Cost: 1}}, make([]weir.Result, 1))
			if err != nil && !strings.Contains(err.Error(), "OOM") {
				t.Errorf("out of memory: %v", err)
			}
		}
		server.Do("config", "set", "maxmemory", "0")
		if after := peek(t, store, k, limit, 1); after.Remaining != before.Remaining && after.Remaining != before.Remaining-1 {
			t.Errorf("%d remain, and %d did before the memory was full", after.Remaining, before.Remaining)
		}
	})
}
