package failover_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
)

// knowing is a store that knows an answer without asking.
type knowing struct{ *primary }

func (knowing) Known(checks []weir.Check, results []weir.Result) bool {
	if checks[0].Key != key("known") {
		return false
	}
	results[0] = weir.Result{Limit: 10, RetryAfter: time.Second}
	return true
}

// What a store knows without asking costs no budget, and is right while it does not
// answer, too.
func TestWhatTheStoreKnows(t *testing.T) {
	inTime(t, failover.Options{}, func(tr *trial) {
		store := failover.New(knowing{tr.primary}, failover.Options{})
		defer store.Close()
		tr.primary.is(silent)
		start := time.Now()
		for range 20 {
			var r [1]weir.Result
			if err := store.Take(tr.Context(), []weir.Check{{Key: key("known"), Limit: perHour(tr, 10), Cost: 1}}, r[:]); err != nil || r[0].RetryAfter != time.Second || r[0].Degraded {
				tr.Fatalf("%+v, %v", r, err)
			}
		}
		if tr.primary.asked() != 0 || time.Since(start) != 0 {
			tr.Errorf("it was asked %d times, in %s", tr.primary.asked(), time.Since(start))
		}
		var r [1]weir.Result
		if err := store.Take(tr.Context(), []weir.Check{{Key: key("other"), Limit: perHour(tr, 10), Cost: 1}}, r[:]); err != nil || !r[0].Degraded {
			tr.Errorf("%+v, %v", r, err)
		}
	})
}
