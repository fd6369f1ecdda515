package redisstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
)

// Pipelines of random calls get, field by field, what the same calls get one by
// one, however often they name a key, and whatever slots their keys are in.
func TestPipelinesAreAnsweredAsIfOneByOne(t *testing.T) {
	for name, url := range map[string]func() string{
		"one server": func() string { return urlOf(sharedServer(t)) },
		"cluster":    func() string { return sharedCluster(t).URL() },
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			piped := open(t, url(), clock.options()...)
			single := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock.read})
			defer single.Close()
			r := randomness(t)
			limits := []*weir.Limit{
				limitOf(t, weir.PerSecond(3), weir.WithBurst(5)), limitOf(t, weir.Per(7, 13*time.Second)), limitOf(t, weir.PerMinute(60), weir.WithBurst(1)),
			}
			for range rounds(60) {
				clock.pass(time.Duration(r.Int64N(int64(2 * time.Second))))
				checks := make([]weir.Check, 1+r.IntN(150))
				for i := range checks {
					which := r.IntN(5)
					limit := limits[which%len(limits)]
					if r.IntN(20) == 0 {
						limit = limits[r.IntN(len(limits))]
					}
					checks[i] = weir.Check{Key: key(fmt.Sprint("piped", which)), Limit: limit, Cost: r.Int64N(4), Peek: r.IntN(10) == 0}
				}
				results := make([]weir.Result, len(checks))
				if n, err := weir.TakeEach(context.Background(), piped, checks, results); n != len(checks) || err != nil {
					t.Fatal(n, err)
				}
				for i, c := range checks {
					if want := decide(t, single, c)[0]; results[i] != want {
						t.Fatalf("%d of %d: %s take %d (peek %t) %s\n got %+v\nwant %+v", i, len(checks), c.Key.Identity, c.Cost, c.Peek, c.Limit, results[i], want)
					}
				}
			}
		})
	}
}

// A pipeline is one call, on a cluster one for each identity, all sent at once;
// and a hundred against a burst of fifty are fifty.
func TestPipelineIsOneCall(t *testing.T) {
	server, cluster := redistest.Start(t), sharedCluster(t)
	limit := limitOf(t, weir.PerDay(50))
	for _, c := range []struct {
		name  string
		store weir.Store
		nodes []*redistest.Server
		keys  int
		calls int
	}{
		{"one server", open(t, urlOf(server)), []*redistest.Server{server}, 7, 1},
		{"cluster", open(t, cluster.URL()), cluster.Nodes, 7, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.keys { // each of their nodes has the scripts then
				decide(t, c.store, weir.Check{Key: key(fmt.Sprint(i)), Limit: limit, Peek: true})
			}
			calls := func() (n int) {
				for _, node := range c.nodes {
					n += commandCalls(node, "evalsha")
				}
				return n
			}
			before := calls()
			checks := make([]weir.Check, 100*c.keys)
			for i := range checks {
				checks[i] = weir.Check{Key: key(fmt.Sprint(i % c.keys)), Limit: limit, Cost: 1}
			}
			results := make([]weir.Result, len(checks))
			if n, err := weir.TakeEach(context.Background(), c.store, checks, results); n != len(checks) || err != nil {
				t.Fatal(n, err)
			}
			if n := calls() - before; n != c.calls {
				t.Errorf("%d calls", n)
			}
			for i, r := range results {
				if r.Allowed != (i < 50*c.keys) {
					t.Fatalf("%d: %+v", i, r)
				}
			}
		})
	}
}
