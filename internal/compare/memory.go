package compare

import (
	"runtime"
	"strconv"
	"time"

	"github.com/weirhq/weir"
)

// The memory of a key is measured: a store is filled with callers that have used
// the limit up, and its share of the heap is looked at. A log's follows what it
// admitted, up to the count.
const (
	measuredTakes = 1 << 18 // at most, for all callers together
	measuredKeys  = 1 << 13 // at most
	fewestKeys    = 64
)

func keyBytes(limit *weir.Limit) (int, error) {
	count := min(limit.Rate().Count, measuredTakes/fewestKeys)
	keys := min(measuredKeys, measuredTakes/int(max(1, count)))
	before := heap()
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 2 * keys, Clock: func() time.Time { return start }})
	store.Close()
	for k := range keys {
		caller := strconv.Itoa(k)
		for range count {
			if _, err := take(store, limit, caller); err != nil {
				return 0, err
			}
		}
	}
	used := heap() - before
	runtime.KeepAlive(store)
	return int(max(0, used)) / keys, nil
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first finds unused is swept by then
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
