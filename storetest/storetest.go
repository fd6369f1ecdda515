// Package storetest is what a [weir.Store] must promise, as tests and benchmarks
// that any store runs:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
//			store := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock})
//			t.Cleanup(func() { store.Close() })
//			return store
//		})
//	}
//
// A store that also has Len() int, the number of keys it holds, is asked as well
// to make no key where none is due.
//
// # Time
//
// A test sets the instant at which its store decides. It only moves forward,
// except under "older instants", which asks what every store promises whatever
// it makes of a step back. Where a store's keys live by another clock than the
// one it decides by, as in Redis, they must live a few seconds longer than their
// states say, for a test may hold the instant still for that long.
//
// # Concurrency
//
// The tests run one after another, so that a store may empty what it shares. On
// a cluster they hold too: what is asked of concurrent requests that span
// several identities is only what holds there, too much never passes.
package storetest

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// NewStore makes an empty store that decides by clock, or by a clock of its own
// where clock is nil, and leaves it to t.Cleanup to end it.
type NewStore func(t testing.TB, clock func() time.Time) weir.Store

// Run tests everything that a store promises.
func Run(t *testing.T, newStore NewStore) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) { p.test(t, newStore) })
	}
}

var promises = []struct {
	name string
	test func(*testing.T, NewStore)
}{
	{"vectors", testVectors},
	{"reference", testReference},
	{"one check", testOneCheck},
	{"waits", testWaits},
	{"peeks", testPeeks},
	{"groups", testGroups},
	{"model", testModel},
	{"keys", testKeys},
	{"refund", testRefund},
	{"reset", testReset},
	{"changed limit", testChangedLimit},
	{"changed algorithm", testChangedAlgorithm},
	{"older instants", testOlderInstants},
	{"concurrency", testConcurrency},
}
