package storetest_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/storetest"
)

func newMemoryStore(t testing.TB, clock func() time.Time) weir.Store {
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock, MaxKeys: 1 << 21})
	t.Cleanup(func() { store.Close() })
	return store
}

func TestMemoryStore(t *testing.T) { storetest.Run(t, newMemoryStore) }

func BenchmarkTake(b *testing.B) { storetest.BenchmarkTake(b, newMemoryStore) }
