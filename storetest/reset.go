package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A reset forgets exactly the keys it names, known or not: each is as one never
// seen.
func testReset(t *testing.T, newStore NewStore) {
	eachAlgorithm(t, newStore, func(tr *trial, a weir.Algorithm) {
		limit := perMinute(tr, 10, a)
		var keys []weir.Key
		for i := range 20 {
			keys = append(keys, identity(fmt.Sprint(i)))
			tr.take(keys[i], limit, 10)
		}
		tr.reset()
		tr.reset(identity("never seen"))
		tr.holdsKeys(20, "after a reset of an unknown key")
		tr.reset(keys[:10]...)
		tr.holdsKeys(10, "after a reset of 10 keys")
		for i, key := range keys {
			if got, want := tr.take(key, limit, 10).Allowed, i < 10; got != want {
				tr.Errorf("key %d allowed %t after the reset of the first 10", i, got)
			}
		}
		tr.reset(keys[0], keys[0], keys[0])
		fresh := tr.peek(keys[0], limit, 10)
		if !fresh.Allowed || fresh.Remaining != 10 || fresh.NextAfter != 0 {
			tr.Errorf("after a reset: %+v", fresh)
		}
		tr.reset(keys...)
		tr.holdsKeys(0, "after a reset of all")
		tr.pass(time.Hour)
		tr.reset(keys...)
	})
}
