package redisstore_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
	"github.com/weirhq/weir/storetest"
)

// The contract decides by an instant of its own, and may hold it still for longer
// than a second.
const contractMargin = time.Minute

func TestContractOnRedis(t *testing.T) {
	runContract(t, redistest.Start(t))
}

func TestContractOnValkey(t *testing.T) {
	runContract(t, redistest.StartValkey(t))
}

func runContract(t *testing.T, server *redistest.Server) {
	storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
		server.Do("FLUSHALL")
		return open(t, "redis://"+server.Addr, redisstore.WithClock(clock), redisstore.WithMargin(contractMargin))
	})
}

func TestContractOnCluster(t *testing.T) {
	cluster := redistest.StartCluster(t)
	storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
		for _, n := range cluster.Nodes {
			n.Do("FLUSHALL")
		}
		return open(t, cluster.URL(), redisstore.WithClock(clock), redisstore.WithMargin(contractMargin))
	})
}

func open(t testing.TB, url string, options ...redisstore.Option) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}
