package redisstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
)

// A reset of many keys is one round trip, or it would take longer than a decision
// may. On a cluster it finds each where it is.
func TestResetIsOneRoundTrip(t *testing.T) {
	server, cluster := redistest.Start(t), sharedCluster(t)
	limit := limitOf(t, weir.PerDay(1))
	for name, url := range map[string]string{"one server": urlOf(server), "cluster": cluster.URL()} {
		t.Run(name, func(t *testing.T) {
			store := open(t, url)
			var keys []weir.Key
			for i := range 100 {
				keys = append(keys, key(fmt.Sprint(t.Name(), i)))
				take(t, store, keys[i], limit, 1)
			}
			before := reads(server)
			if err := store.Reset(t.Context(), keys); err != nil {
				t.Fatal(err)
			}
			if n := reads(server) - before; n > 10 {
				t.Errorf("the server has read %d times", n)
			}
			for _, k := range keys {
				if !peek(t, store, k, limit, 1).Allowed {
					t.Fatalf("%v is still there", k)
				}
			}
		})
	}
}

// reads is how often a server has read of its connections.
func reads(server *redistest.Server) (n int) {
	_, rest, _ := strings.Cut(server.Do("info", "stats"), "total_reads_processed:")
	fmt.Sscan(rest, &n)
	return n
}
