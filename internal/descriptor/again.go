package descriptor

import (
	"math"

	"github.com/weirhq/weir"
)

// tellEach makes what remains for a check that which remained right after it,
// where others of the request follow on the same key: a store tells what is left
// by them all.
func tellEach(checks []weir.Check, results []weir.Result) {
	for last := len(checks) - 1; last > 0; last-- {
		key := checks[last].Key
		if !has(checks[last+1:], key) && has(checks[:last], key) {
			tellBack(checks[:last+1], results, key)
		}
	}
}

func has(checks []weir.Check, key weir.Key) bool {
	for i := range checks {
		if checks[i].Key == key {
			return true
		}
	}
	return false
}

// tellBack goes from the last check of a key to the first, with what is used after
// each. A window that counted refusals may not tell how much that is; the last one
// that was admitted then tells how much at most.
func tellBack(checks []weir.Check, results []weir.Result, key weir.Key) {
	used := usedOf(checks, results, key)
	for i := len(checks) - 1; i >= 0; i-- {
		c, r := &checks[i], &results[i]
		if c.Key != key || r.Limit == 0 {
			continue
		}
		if r.Charged {
			used = min(used, r.Limit)
		}
		r.Remaining, r.Overrun = max(0, r.Limit-used), used > r.Limit
		if used < unknown && (r.Charged || !r.Allowed && !c.Peek && c.Limit.CountsAll()) {
			used -= c.Cost
		}
	}
}

const unknown = math.MaxInt64

// usedOf is what is used of a key in the end: a limit that it does not exceed
// tells it exactly.
func usedOf(checks []weir.Check, results []weir.Result, key weir.Key) int64 {
	for i := range checks {
		if r := &results[i]; checks[i].Key == key && r.Limit > 0 && !r.Overrun {
			return r.Limit - r.Remaining
		}
	}
	return unknown
}
