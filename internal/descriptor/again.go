package descriptor

import "github.com/weirhq/weir"

// tellEach makes what remains for a check that which remained right after it,
// where others of the request follow on the same key: a store tells what is left
// by them all. A window that counted a later refusal may have had some room
// before, less than that asked for; then none is told.
func tellEach(checks []weir.Check, results []weir.Result) {
	for i := len(checks) - 2; i >= 0; i-- {
		for j := i + 1; j < len(checks); j++ {
			if checks[j].Key == checks[i].Key {
				results[i].Remaining = min(before(&checks[j], &results[j]), results[i].Limit)
				break
			}
		}
	}
}

// before is what remained before a check.
func before(c *weir.Check, r *weir.Result) int64 {
	switch {
	case r.Charged:
		return min(r.Remaining+c.Cost, r.Limit)
	case !r.Allowed && !c.Peek && c.Limit.CountsAll():
		return 0
	default:
		return r.Remaining
	}
}
