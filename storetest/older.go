package storetest

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// An older instant forgives nothing: at it, a key has no more room than it had
// before the step back, whether the store clamps its clock or rewrites what lies
// in the future.
func testOlderInstants(t *testing.T, newStore NewStore) {
	for _, step := range []time.Duration{time.Microsecond, time.Second, 59 * time.Second, 10 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			eachAlgorithm(t, newStore, func(tr *trial, a weir.Algorithm) { testStepBack(tr, a, step) })
		})
	}
}

func testStepBack(tr *trial, a weir.Algorithm, step time.Duration) {
	limit := perMinute(tr, 10, a)
	full, part := identity("full"), identity("part")
	tr.at(24*time.Hour + 30*time.Second)
	tr.take(full, limit, 10)
	tr.take(part, limit, 6)

	tr.pass(-step)
	if r := tr.take(full, limit, 1); r.Allowed || r.RetryAfter <= 0 {
		tr.Errorf("a step back of %s admits: %+v", step, r)
	}
	if left := tr.remaining(part, limit); left > 4 {
		tr.Errorf("after a step back of %s %d remain, 4 did before", step, left)
	}
	admitted := 0
	for range 20 {
		if tr.take(part, limit, 1).Allowed {
			admitted++
		}
	}
	if admitted > 4 {
		tr.Errorf("after a step back of %s %d more pass, 4 were left", step, admitted)
	}
}
