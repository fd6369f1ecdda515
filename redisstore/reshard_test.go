package redisstore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// While slots move from node to node under load, with the keys in them, no caller
// gets an error, and what is admitted of each identity in the end is exactly its
// limit: MOVED, ASK and TRYAGAIN are followed, and nothing is counted twice or
// forgotten (B35).
func TestReshardingUnderLoad(t *testing.T) {
	cluster := sharedCluster(t)
	store := open(t, cluster.URL())
	const identities, limited = 200, 150
	layers := layersOf(t, limited)
	var admitted [identities]atomic.Int64
	var calls atomic.Int64
	over := make(chan struct{})
	var callers sync.WaitGroup
	for c := range 20 {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 0))
			for {
				select {
				case <-over:
					return
				default:
				}
				i := r.IntN(identities)
				results := make([]weir.Result, len(layers))
				start := time.Now()
				if err := store.Take(t.Context(), layers.of(fmt.Sprint("user:", i)), results); err != nil {
					t.Errorf("after %s: %v", time.Since(start), err)
					return
				}
				calls.Add(1)
				if weir.Decide(0, layers.of(""), results).Allowed {
					admitted[i].Add(1)
				}
			}
		})
	}
	moves := 1
	if soaking() {
		moves = 20
	}
	for range moves {
		for i := range 3 {
			cluster.Move(i, (i+1)%3, 300)
		}
	}
	close(over)
	callers.Wait()
	for i := range identities {
		for admitted[i].Load() < limited { // those the load has not used up
			if !weir.Decide(0, layers.of(""), decide(t, store, layers.of(fmt.Sprint("user:", i))...)).Allowed {
				t.Fatalf("user %d got %d of %d", i, admitted[i].Load(), limited)
			}
			admitted[i].Add(1)
		}
		if weir.Decide(0, layers.of(""), decide(t, store, layers.of(fmt.Sprint("user:", i))...)).Allowed || admitted[i].Load() != limited {
			t.Errorf("user %d got %d and more of %d", i, admitted[i].Load(), limited)
		}
	}
	t.Logf("%d calls", calls.Load())
}

// threeLayers is a request of three algorithms, each with the same limit.
type threeLayers []weir.Check

func layersOf(t testing.TB, limit int64) (request threeLayers) {
	for _, a := range []weir.Algorithm{weir.SlidingLog, weir.FixedWindow, weir.SlidingCounter} {
		k := weir.Key{Layer: a.String(), Limit: "default"}
		request = append(request, weir.Check{Key: k, Limit: limitOf(t, weir.Per(limit, 30*24*time.Hour), weir.WithAlgorithm(a)), Cost: 1, Group: &weir.Group{}})
	}
	return request
}

func (l threeLayers) of(identity string) []weir.Check {
	checks := append([]weir.Check{}, l...)
	for i := range checks {
		checks[i].Key.Identity = identity
	}
	return checks
}

// A slot that is on its way for long: new identities of it, and those of which
// some keys are here and some are there, are decided all the same, each limit
// exactly. A refund, whose keys must be in one place, waits for the end.
func TestSlotOnItsWay(t *testing.T) {
	cluster := sharedCluster(t)
	store := open(t, cluster.URL())
	layers := layersOf(t, 5)
	countAll := limitOf(t, weir.PerDay(5), weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())
	for _, all := range []bool{false, true} {
		if all {
			group := &weir.Group{}
			for i := range layers {
				layers[i].Group = group
			}
			layers[1].Limit = countAll
		}
		fresh, half := fmt.Sprint("fresh ", all), fmt.Sprint("half ", all)
		var refundable weir.Decision
		for range 2 {
			refundable = weir.Decide(weir.NewID(), layers.of(half), decide(t, store, layers.of(half)...))
		}
		nameOf := func(identity string, i int) string { return redisstore.KeyName(store, layers.of(identity)[i].Key) }
		_, _, finishFresh := cluster.BeginMove(nameOf(fresh, 0))
		from, to, finishHalf := cluster.BeginMove(nameOf(half, 0))
		from.Do("migrate", "127.0.0.1", to.Port, nameOf(half, 1), "0", "1000")
		if _, err := from.Try("exists", nameOf(half, 0), nameOf(half, 1)); err == nil || !strings.Contains(err.Error(), "TRYAGAIN") {
			t.Errorf("set-up: %v", err)
		}
		for identity, admitted := range map[string]int{fresh: 5, half: 3} {
			for i := range 7 {
				d := weir.Decide(0, layers.of(identity), decide(t, store, layers.of(identity)...))
				if d.Allowed != (i < admitted) {
					t.Errorf("%s, call %d: %+v", identity, i+1, d.Results)
				}
			}
		}
		done := make(chan error)
		go func() {
			_, err := store.Refund(t.Context(), refundable.ID, refundable.Charges())
			done <- err
		}()
		finishFresh()
		finishHalf()
		if err := <-done; err != nil {
			t.Error(err)
		}
		for i := range layers {
			want := int64(1)
			if layers[i].Limit == countAll {
				want = 0 // refused calls are in it
			}
			if left := peek(t, store, layers.of(half)[i].Key, layers[i].Limit, 1).Remaining; left != want {
				t.Errorf("after the refund %d of layer %d remain, want %d", left, i, want)
			}
		}
	}
}
