package policy

import (
	"slices"

	"github.com/weirhq/weir"
)

// Room is memory for the checks and results of one decision at a time: a decision that
// was made in it says nothing any more once the next one begins. A front that answers
// before it takes the next request saves most of a decision's allocations with it. The
// zero value is ready.
type Room struct {
	checks  []weir.Check
	results []weir.Result
}

func (r *Room) noChecks(most int) []weir.Check {
	r.checks = slices.Grow(r.checks[:0], most)
	return r.checks
}

func (r *Room) resultsOf(checks []weir.Check) []weir.Result {
	r.results = slices.Grow(r.results[:0], len(checks))[:len(checks)]
	clear(r.results)
	return r.results
}
