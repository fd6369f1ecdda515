package redisstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
	"github.com/weirhq/weir/storetest"
)

// What every store promises, on every kind of server.

func TestContractOnRedis(t *testing.T) {
	runContract(t, func(t testing.TB) string { return urlOf(sharedServer(t)) })
}

func TestContractOnValkey(t *testing.T) {
	runContract(t, func(t testing.TB) string { return urlOf(sharedValkey(t)) })
}

func TestContractOnCluster(t *testing.T) {
	runContract(t, func(t testing.TB) string { return sharedCluster(t).URL() })
}

func runContract(t *testing.T, empty func(testing.TB) string) {
	storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
		return open(t, empty(t), redisstore.WithClock(clock), redisstore.WithMargin(clockMargin))
	})
}

// A key holds one state. Under two algorithms at once it would be read as one and
// written as another.
func TestOneKeyUnderTwoAlgorithms(t *testing.T) {
	store := open(t, urlOf(sharedServer(t)))
	group := &weir.Group{Charge: weir.Independent}
	for _, a := range weir.Algorithms() {
		for _, b := range weir.Algorithms() {
			checks := []weir.Check{
				{Key: key("a"), Limit: limitOf(t, weir.PerHour(10), weir.WithAlgorithm(a)), Cost: 1, Group: group},
				{Key: key("a"), Limit: limitOf(t, weir.PerHour(20), weir.WithAlgorithm(b)), Cost: 1, Group: group},
			}
			err := store.Take(t.Context(), checks, make([]weir.Result, 2))
			if one := a == b || a.HasBurst() && b.HasBurst(); one && err != nil || !one && !errors.Is(err, weir.ErrDuplicateKey) {
				t.Errorf("%s and %s: %v", a, b, err)
			}
		}
	}
}

// A blocked limit reads nothing of its key. Another check of the same call that
// names the key still finds what is there.
func TestBlockedLimitBesideAnother(t *testing.T) {
	store := open(t, urlOf(sharedServer(t)))
	group := &weir.Group{Charge: weir.Independent}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		blocked, ten := limitOf(t, weir.PerDay(0), weir.WithAlgorithm(a)), limitOf(t, weir.PerDay(10), weir.WithAlgorithm(a))
		take(t, store, key(t.Name()), ten, 6)
		results := decide(t, store,
			weir.Check{Key: key(t.Name()), Limit: blocked, Cost: 1, Group: group},
			weir.Check{Key: key(t.Name()), Limit: ten, Cost: 3, Group: group},
			weir.Check{Key: key(t.Name()), Limit: blocked, Cost: 1, Group: group})
		if results[0].Reason != weir.LimitBlocked || !results[1].Charged || results[1].Remaining != 1 || results[2].Reason != weir.LimitBlocked {
			t.Errorf("%+v", results)
		}
	})
}
