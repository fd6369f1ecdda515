package redisstore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// What a server refuses for one request it refuses for that one: who shared its
// call is answered as if alone.
func TestARefusalIsNotTheNeighbours(t *testing.T) {
	for word, cause := range map[string][]string{
		"OOM":        {"config", "set", "maxmemory", "1"},
		"NOREPLICAS": {"config", "set", "min-replicas-to-write", "1"},
		"READONLY":   {"replicaof", "127.0.0.1", "1"},
		"NOPERM":     {"acl", "setuser", "default", "resetkeys", "~*peeked*"},
	} {
		t.Run(word, func(t *testing.T) {
			g := newGate(t)
			g.server = redistest.Start(t)
			g.load()
			own := g.busy()
			peeked := g.named("peeked", 1)
			peeked[0].Peek = true
			waiting := g.join(context.Background(), g.named("taken", 1), peeked)
			for range own {
				g.open <- nil
			}
			for _, done := range own {
				if a := <-done; a.err != nil {
					t.Fatal(a.err)
				}
			}
			g.until("the shared call", func() bool { return g.calls.Load() == redisstore.OwnCalls+1 })
			g.server.Do(cause...)
			for range 1 + len(waiting) {
				g.open <- nil
			}
			if a := <-waiting[0]; a.err == nil || !strings.Contains(a.err.Error(), word) {
				t.Errorf("the take: %+v", a)
			}
			if a := <-waiting[1]; a.err != nil || a.results[0].Remaining != 10 {
				t.Errorf("the peek: %+v", a)
			}
		})
	}
}

// A server of a cluster refuses a call for keys of several slots even where all
// slots are its own. Where it is asked as a single one, no call is shared.
func TestOneServerOfACluster(t *testing.T) {
	server := redistest.Start(t, "--cluster-enabled", "yes")
	server.Do("cluster", "addslotsrange", "0", "16383")
	redistest.Until(t, 20*time.Second, func() bool { return strings.Contains(server.Do("cluster", "info"), "cluster_state:ok") }, "the cluster is up")
	store := open(t, urlOf(server))
	takeMany(t, store, "first")
	crossed := crossSlots(server)
	takeMany(t, store, "second")
	if now := crossSlots(server); now != crossed {
		t.Errorf("refused calls: %q, then %q", crossed, now)
	}
}

// takeMany has many callers at once ask for a key each.
func takeMany(t *testing.T, store weir.Store, name string) {
	limit := limitOf(t, weir.PerDay(100))
	var callers sync.WaitGroup
	for i := range 64 {
		callers.Go(func() {
			check, results := weir.Check{Key: key(fmt.Sprint(name, i)), Limit: limit, Cost: 1}, make([]weir.Result, 1)
			for n := range 20 {
				if err := store.Take(context.Background(), []weir.Check{check}, results); err != nil || results[0].Remaining != int64(99-n) {
					t.Errorf("after %d takes: %v, %+v", n, err, results[0])
					return
				}
			}
		})
	}
	callers.Wait()
}

func crossSlots(server *redistest.Server) string {
	_, text, _ := strings.Cut(server.Do("info", "errorstats"), "CROSSSLOT:")
	count, _, _ := strings.Cut(text, "\r")
	return count
}

// Whoever has given up before asking is not charged, also not as the one with whom
// a shared call is full.
func TestWhoComesTooLateFillsNoCall(t *testing.T) {
	g := newGate(t)
	g.load()
	own := g.busy()
	waiting := make([][]weir.Check, redisstore.SharedChecks-1)
	for i := range waiting {
		waiting[i] = g.named(fmt.Sprint("waiting", i), 1)
	}
	all := append(own, g.join(context.Background(), waiting...)...)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if a := <-g.take(over, g.named("late", 1)...); a.err == nil {
		t.Errorf("%+v", a)
	}
	if n := redisstore.Sharing(g.store); n != len(waiting) {
		t.Errorf("%d wait, not %d", n, len(waiting))
	}
	for range redisstore.OwnCalls + 2 {
		g.open <- nil
	}
	for _, done := range all {
		if a := <-done; a.err != nil {
			t.Error(a.err)
		}
	}
	if a := <-g.take(context.Background(), g.named("late", 1)...); a.err != nil || a.results[0].Remaining != 9 {
		t.Errorf("who came too late was charged: %+v", a)
	}
}
