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
