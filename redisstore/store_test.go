package redisstore_test

import (
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

// With the deny cache too; takes go together without being told to.
func TestContractWithDenyCache(t *testing.T) {
	runContract(t, func(t testing.TB) string { return urlOf(sharedServer(t)) }, redisstore.WithDenyCache(time.Second))
}

func TestContractWithDenyCacheOnCluster(t *testing.T) {
	runContract(t, func(t testing.TB) string { return sharedCluster(t).URL() }, redisstore.WithDenyCache(time.Second))
}

func TestContractOnValkey(t *testing.T) {
	runContract(t, func(t testing.TB) string { return urlOf(sharedValkey(t)) })
}

func TestContractOnCluster(t *testing.T) {
	runContract(t, func(t testing.TB) string { return sharedCluster(t).URL() })
}

func runContract(t *testing.T, empty func(testing.TB) string, options ...redisstore.Option) {
	storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
		return open(t, empty(t), append(options, redisstore.WithClock(clock), redisstore.WithMargin(clockMargin))...)
	})
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
