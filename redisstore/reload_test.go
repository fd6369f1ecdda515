package redisstore_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// A server that forgets its scripts every 50 ms under 50 callers: every call gets
// a decision, the limit is kept to the last request, and the script's body is sent
// about once for each time it was forgotten (B48).
func TestScriptsAreForgottenAllTheTime(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server), redisstore.WithMargin(time.Hour))
	limit := limitOf(t, weir.PerDay(3000), weir.WithAlgorithm(weir.SlidingLog))
	flushes := 20
	if soaking() {
		flushes = 600
	}
	server.Do("config", "resetstat")
	var calls, admitted atomic.Int64
	over := make(chan struct{})
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			for more := true; more; {
				var results [1]weir.Result
				if err := store.Take(t.Context(), []weir.Check{{Key: key("a"), Limit: limit, Cost: 1}}, results[:]); err != nil {
					t.Error(err)
					return
				}
				calls.Add(1)
				if results[0].Allowed {
					admitted.Add(1)
				}
				select {
				case <-over:
					more = false
				default:
				}
			}
		})
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range flushes {
		<-tick.C
		server.Do("script", "flush")
	}
	close(over)
	callers.Wait()
	if want := min(calls.Load(), 3000); admitted.Load() != want {
		t.Errorf("%d admitted, want %d", admitted.Load(), want)
	}
	if calls.Load() < 3000 {
		t.Errorf("set-up: only %d calls", calls.Load())
	}
	bodies := commandCalls(server, "eval")
	t.Logf("%d calls, %d bodies after %d flushes", calls.Load(), bodies, flushes)
	if bodies < flushes/2 || bodies > flushes+flushes/4 {
		t.Errorf("%d bodies were sent after %d flushes", bodies, flushes)
	}
}

// A batch that meets a server without the script sends the body once: on one
// server a hundred callers at the same time, on a cluster also one request that
// asks all nodes.
func TestBatchesReloadOnce(t *testing.T) {
	server := sharedServer(t)
	store := open(t, urlOf(server))
	limit := limitOf(t, weir.PerDay(1_000_000), weir.WithAlgorithm(weir.SlidingLog))
	const rounds = 20
	server.Do("config", "resetstat")
	for range rounds {
		server.Do("script", "flush")
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() { take(t, store, key(fmt.Sprint(i)), limit, 1) })
		}
		callers.Wait()
	}
	if bodies := commandCalls(server, "eval"); bodies < rounds || bodies > rounds+rounds/4 {
		t.Errorf("%d bodies were sent after %d flushes", bodies, rounds)
	}

	cluster := sharedCluster(t)
	store = open(t, cluster.URL())
	for round := range rounds {
		for _, n := range cluster.Nodes {
			n.Do("script", "flush")
		}
		var checks []weir.Check
		var callers sync.WaitGroup
		for i := range 12 {
			checks = append(checks, weir.Check{Key: key(fmt.Sprint(i)), Limit: limit, Cost: 1})
			for range 5 { // whose nodes are not all the first one's
				callers.Go(func() { take(t, store, key(fmt.Sprint("other ", i)), limit, 1) })
			}
		}
		for i, r := range decide(t, store, checks...) {
			if left := 1_000_000 - int64(round) - 1; r.Remaining != left {
				t.Errorf("round %d: %d remain of key %d, want %d", round, r.Remaining, i, left)
			}
		}
		callers.Wait()
	}
}

// A server that is killed and started anew is used again without anybody's doing,
// empty as it is.
func TestKilledServerComesBack(t *testing.T) {
	server := redistest.Start(t)
	store := open(t, urlOf(server))
	limit := limitOf(t, weir.PerHour(10), weir.WithAlgorithm(weir.FixedWindow))
	for range 3 {
		if r := take(t, store, key("a"), limit, 10); !r.Charged {
			t.Fatalf("%+v", r)
		}
		server.Kill()
		if err := try(store, key("a"), limit); err == nil {
			t.Fatal("a decision without a server")
		}
		server.Restart()
		redistest.Until(t, 3*time.Second, func() bool { return try(store, key("other"), limit) == nil }, "a decision after the restart")
	}
}

func try(store weir.Store, k weir.Key, limit *weir.Limit) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return store.Take(ctx, []weir.Check{{Key: k, Limit: limit, Cost: 1}}, make([]weir.Result, 1))
}

// A store that is made while its server is not there finds it later.
func TestServerThatIsNotThereYet(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	store := open(t, urlOf(server))
	limit := limitOf(t, weir.PerHour(10))
	if err := try(store, key("a"), limit); err == nil {
		t.Fatal("a decision without a server")
	}
	server.Restart()
	redistest.Until(t, 3*time.Second, func() bool { return try(store, key("a"), limit) == nil }, "a decision")
}

// Sentinel makes the replica master, which has never seen a script.
func TestSentinelFailover(t *testing.T) {
	sentinel := redistest.StartSentinel(t)
	store := open(t, sentinel.URL())
	limit := limitOf(t, weir.PerHour(10), weir.WithAlgorithm(weir.FixedWindow))
	take(t, store, key("a"), limit, 4)
	redistest.Until(t, 2*time.Second, func() bool { return sentinel.Replica.Do("dbsize") == "1" }, "the replica has it")
	killed := time.Now()
	sentinel.Master.Kill()
	redistest.Until(t, 15*time.Second, func() bool { return try(store, key("other"), limit) == nil }, "a decision by the new master")
	t.Logf("a decision by the new master after %s", time.Since(killed))
	if left := peek(t, store, key("a"), limit, 1).Remaining; left != 6 {
		t.Errorf("%d remain on the new master, 6 did", left)
	}
}
