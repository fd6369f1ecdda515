package storetest

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func testPeeks(t *testing.T, newStore NewStore) {
	t.Run("write nothing", func(t *testing.T) { eachAlgorithm(t, newStore, testPeeksWriteNothing) })
	t.Run("tell what a take would", func(t *testing.T) { eachAlgorithm(t, newStore, testPeekIsATake) })
	t.Run("lose no progress", func(t *testing.T) { eachAlgorithm(t, newStore, testPeeksLoseNothing) })
}

// A peek makes no key and takes nothing, whether its cost would pass or not.
func testPeeksWriteNothing(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	for range 50 {
		for _, n := range []int64{0, 1, 10, 11} {
			r := tr.peek(key, limit, n)
			if r.Charged || r.Allowed != (n <= 10) || r.Remaining != 10 || r.ResetAfter < 0 {
				tr.Fatalf("peek of %d at a new key: %+v", n, r)
			}
		}
	}
	tr.holdsKeys(0, "after peeks at a new key")
	if r := tr.take(key, limit, 10); !r.Allowed {
		tr.Errorf("10 of 10 after peeks: %+v", r)
	}
}

// A peek answers as a take of the same cost would at that moment, but for what
// the take changes.
func testPeekIsATake(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	for range 40 {
		tr.pass(2100 * time.Millisecond)
		for _, n := range []int64{4, 1} {
			peeked, taken := tr.peek(key, limit, n), tr.take(key, limit, n)
			if peeked.Allowed != taken.Allowed || peeked.Reason != taken.Reason || peeked.RetryAfter != taken.RetryAfter {
				tr.Fatalf("peek of %d: %+v, but take %+v", n, peeked, taken)
			}
			if taken.Charged && peeked.Remaining != taken.Remaining+n {
				tr.Fatalf("peek of %d: %d remain, then %d after the take", n, peeked.Remaining, taken.Remaining)
			}
		}
	}
}

// Peeks and refusals more often than anything is refilled change no admission: a
// store that notes the instant of each and rounds what was refilled since the
// last would never refill.
func testPeeksLoseNothing(tr *trial, a weir.Algorithm) {
	limit := limitOf(tr, weir.Per(10, 30*time.Second), weir.WithAlgorithm(a))
	quiet, busy := identity("quiet"), identity("busy")
	tr.take(quiet, limit, 10)
	tr.take(busy, limit, 10)
	for i := range 350 {
		tr.pass(100 * time.Millisecond)
		tr.peek(busy, limit, 0)
		if r := tr.take(busy, limit, 1+tr.remaining(busy, limit)); r.Allowed {
			tr.Fatalf("one more than remains: %+v", r)
		}
		if i%10 != 9 {
			continue
		}
		if q, b := tr.take(quiet, limit, 1), tr.take(busy, limit, 1); q.Allowed != b.Allowed {
			tr.Fatalf("%s after it was used up: %+v, but with peeks in between %+v", time.Duration(i+1)*100*time.Millisecond, q, b)
		}
	}
}
