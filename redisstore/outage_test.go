package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
)

// A reply that is lost after the script ran is not asked for again: of 500
// requests, with every tenth reply lost, no more than 500 are counted (B49). Fewer
// are where a connection ends before a request has arrived, which is rare.
func TestLostRepliesChargeOnce(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server.Addr)
	direct, store := open(t, urlOf(server)), open(t, "redis://"+proxy.Addr)
	limit := limitOf(t, weir.PerDay(1000), weir.WithAlgorithm(weir.SlidingLog))
	proxy.DropEvery(10)
	proxy.Cut()
	lost := 0
	for range 500 {
		if try(store, key("a"), limit) != nil {
			lost++
		}
	}
	counted := int(1000 - peek(t, direct, key("a"), limit, 1).Remaining)
	if counted > 500 || counted < 500-lost {
		t.Errorf("%d of 500 counted, with %d replies lost", counted, lost)
	}
	if lost < 25 || counted < 500-lost/2 {
		t.Errorf("set-up: of %d calls that failed %d had run", lost, counted-(500-lost))
	}
}

// A call whose caller has gone already is not made.
func TestCallerWhoHasGone(t *testing.T) {
	store := open(t, urlOf(sharedServer(t)))
	limit := limitOf(t, weir.PerDay(1000))
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 {
		err := store.Take(gone, []weir.Check{{Key: key("a"), Limit: limit, Cost: 1}}, make([]weir.Result, 1))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if left := peek(t, store, key("a"), limit, 1).Remaining; left != 1000 {
		t.Errorf("%d remain", left)
	}
}

// A name that leads to another server after a fail-over, while connections to the
// old master stay open and answer READONLY: the store connects anew by the name
// (B51). Calls that fail meanwhile say why.
func TestDemotedMasterIsLeft(t *testing.T) {
	before, after := redistest.Start(t), redistest.Start(t)
	proxy := redistest.StartProxy(t, before.Addr)
	store := open(t, "redis://"+proxy.Addr)
	limit := limitOf(t, weir.PerDay(100_000))
	take(t, store, key("a"), limit, 1)

	before.Do("replicaof", "127.0.0.1", after.Port)
	proxy.Retarget(after.Addr)
	switched := time.Now()
	redistest.Until(t, 5*time.Second, func() bool {
		err := try(store, key("a"), limit)
		if err != nil && !strings.Contains(err.Error(), "READONLY") {
			t.Errorf("a call fails with %v", err)
		}
		return err == nil
	}, "a decision by the new master")
	t.Logf("a decision by the new master after %s", time.Since(switched))
	redistest.Until(t, 5*time.Second, func() bool {
		try(store, key("a"), limit) // by each of the client's connections sooner or later
		return clients(before) == 0
	}, "nobody asks the old master")
}

// clients are the connections to a server, beside the asking one and a master's
// or replica's.
func clients(s *redistest.Server) (n int) {
	for line := range strings.Lines(s.Do("client", "list", "type", "normal")) {
		if !strings.Contains(line, "cmd=client|list") {
			n++
		}
	}
	return n
}

// While the name still leads to the old master, the store looks for the new one
// again and again, but not with every call: there is one new client a second.
func TestDemotedMasterIsNotStormed(t *testing.T) {
	server, other := redistest.Start(t), redistest.Start(t)
	store := open(t, urlOf(server))
	limit := limitOf(t, weir.PerDay(100_000))
	server.Do("replicaof", "127.0.0.1", other.Port)
	made := func() (n int) {
		_, rest, _ := strings.Cut(server.Do("info", "stats"), "total_connections_received:")
		fmt.Sscan(rest, &n)
		return n
	}
	start, calls := made(), 0
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); calls++ {
		if err := try(store, key("a"), limit); err == nil || !strings.Contains(err.Error(), "READONLY") {
			t.Fatalf("%v", err)
		}
	}
	if n := made() - start; calls < 100 || n > 10 {
		t.Errorf("%d calls made %d connections", calls, n)
	}
}

// A server that is still loading, and one whose cluster is down, say so, and are
// used as soon as they can be.
func TestServerThatIsLoading(t *testing.T) {
	server := redistest.Start(t, "--rdbcompression", "no", "--key-load-delay", "20000", "--loading-process-events-interval-bytes", "1024")
	store := open(t, urlOf(server))
	limit := limitOf(t, weir.PerDay(1000))
	server.Do("debug", "populate", "50", "unrelated", "2000")
	server.Do("save")
	server.Kill()
	server.Restart()
	seen := false
	redistest.Until(t, 5*time.Second, func() bool {
		err := try(store, key("a"), limit)
		seen = seen || err != nil && strings.Contains(err.Error(), "LOADING")
		return err == nil
	}, "a decision")
	if !seen {
		t.Error("set-up: the server was never seen loading")
	}
}

func TestClusterThatIsDown(t *testing.T) {
	server := redistest.Start(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "500")
	store := open(t, "redis+cluster://"+server.Addr)
	limit := limitOf(t, weir.PerDay(1000))
	if err := try(store, key("a"), limit); err == nil {
		t.Fatal("a decision by a cluster without slots")
	}
	server.Do("cluster", "addslotsrange", "0", "16383")
	redistest.Until(t, 5*time.Second, func() bool { return try(store, key("a"), limit) == nil }, "a decision")
	server.Do("cluster", "delslotsrange", "0", "16383")
	redistest.Until(t, 5*time.Second, func() bool {
		err := try(store, key("a"), limit)
		return err != nil && strings.Contains(err.Error(), "CLUSTERDOWN")
	}, "the cluster is down")
	server.Do("cluster", "addslotsrange", "0", "16383")
	redistest.Until(t, 5*time.Second, func() bool { return try(store, key("a"), limit) == nil }, "a decision")
}

// Ten thousand callers of a server that has been stopped wait about as long as
// their contexts say, not for each other, and leave nothing behind. The client's
// own queue would have them wait for eleven seconds.
func TestManyCallersOfAStoppedServer(t *testing.T) {
	server := redistest.Start(t)
	store := open(t, urlOf(server))
	limit := limitOf(t, weir.PerDay(1_000_000))
	take(t, store, key("a"), limit, 1)
	before := runtime.NumGoroutine()
	server.Pause()
	defer server.Resume()
	var callers sync.WaitGroup
	var longest atomic.Int64
	for range 10_000 {
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			if store.Take(ctx, []weir.Check{{Key: key("a"), Limit: limit, Cost: 1}}, make([]weir.Result, 1)) == nil {
				t.Error("a decision by a stopped server")
			}
			for took := int64(time.Since(start)); ; {
				if old := longest.Load(); took <= old || longest.CompareAndSwap(old, took) {
					return
				}
			}
		})
	}
	callers.Wait()
	// 10,000 goroutines take their time on two busy cores; 11 s it is not.
	if took := time.Duration(longest.Load()); took > 2*time.Second {
		t.Errorf("one caller with 50 ms waited for %s", took)
	} else {
		t.Logf("the longest wait was %s", took)
	}
	server.Resume()
	redistest.Until(t, 2*time.Second, func() bool { return try(store, key("a"), limit) == nil }, "a decision after the server went on")
	redistest.Until(t, 3*time.Second, func() bool { return runtime.NumGoroutine() < before+20 }, "goroutines are gone")
}
