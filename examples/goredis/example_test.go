// Package goredis shows how a program that has a go-redis client decides with it.
package goredis

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// newClient has the two settings that a limiter needs. By default go-redis sends a
// command whose reply was lost again, which charges twice, and does not heed the
// deadline of a context.
func newClient(address string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr:                  address,
		MaxRetries:            -1,
		ContextTimeoutEnabled: true,
	})
}

// newStore hands the client over by its one method.
func newStore(client *redis.Client) (*redisstore.Store, error) {
	return redisstore.NewWithDoer(redisstore.DoerFunc(func(ctx context.Context, args ...any) (any, error) {
		return client.Do(ctx, args...).Result()
	}))
}

func TestLimiterOnGoRedis(t *testing.T) {
	server := redistest.Start(t)
	client := newClient(server.Addr)
	defer client.Close()
	store, err := newStore(client)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range weir.Algorithms() {
		limiter, err := weir.New(weir.PerHour(3), weir.WithAlgorithm(a), weir.WithStore(store))
		if err != nil {
			t.Fatal(err)
		}
		user := "user:" + a.String()
		for i := range 5 {
			if i == 2 {
				server.Do("script", "flush") // nobody notices
			}
			r, err := limiter.Allow(t.Context(), user)
			if err != nil || r.Allowed != (i < 3) || r.Remaining != max(0, int64(2-i)) {
				t.Errorf("%s, call %d: %+v, %v", a, i+1, r, err)
			}
		}
		if err := limiter.Reset(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		r, err := limiter.AllowN(t.Context(), user, 2)
		if err != nil {
			t.Fatal(err)
		}
		if gave, err := limiter.Refund(t.Context(), user, 2, r); err != nil || !gave {
			t.Errorf("%s: refund: %t, %v", a, gave, err)
		}
	}
}

// With those settings a lost reply charges no more than once, and a silent server is given up
// in time. With go-redis's own, 500 requests were counted as 571.
func TestLostRepliesAndSilence(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server.Addr)
	client := newClient(proxy.Addr)
	defer client.Close()
	store, err := newStore(client)
	if err != nil {
		t.Fatal(err)
	}
	limiter, err := weir.New(weir.PerDay(1000), weir.WithAlgorithm(weir.FixedWindow), weir.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	proxy.DropEvery(10)
	lost := 0
	for range 500 {
		if _, err := limiter.Allow(t.Context(), "a"); err != nil {
			lost++
		}
	}
	proxy.DropEvery(0)
	r, err := limiter.Peek(t.Context(), "a", 1)
	counted := int(1000 - r.Remaining) // less than 500 where a connection ends before a request has arrived
	if err != nil || counted > 500 || counted < 500-lost/2 || lost < 25 {
		t.Errorf("500 requests, %d replies lost, %d counted: %v", lost, counted, err)
	}

	server.Pause()
	defer server.Resume()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := limiter.Allow(ctx, "a"); err == nil || time.Since(start) > time.Second {
		t.Errorf("a stopped server and 20 ms: %v after %s", err, time.Since(start))
	}
}

func Example() {
	client := newClient("127.0.0.1:6379")
	defer client.Close()
	store, err := newStore(client)
	if err != nil {
		fmt.Println(err)
		return
	}
	limiter, err := weir.New(weir.PerMinute(100), weir.WithStore(store))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(limiter.Limit())
	// Output: 100/min gcra
}
