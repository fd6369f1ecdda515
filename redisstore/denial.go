package redisstore

import (
	"slices"
	"strings"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// denial is a request that was refused and for which nothing was charged, with the
// states that it found. Nobody but a refund, a reset or another limit takes from a
// state, so it is the least that is used of each key: what it refuses is refused.
//
// The server decided between sent and arrived. By the instant that goes by sent
// more has drained than has in truth, by the other one less: the one says whether
// to refuse, the other what to tell, so that neither is to a caller's disadvantage.
type denial struct {
	question
	arrived time.Duration
	checks  []weir.Check // without groups
	shape   []byte       // and what matters of those
	results []weir.Result
	states  []algorithm.State
}

func newDenial(q question, arrived time.Duration, checks []weir.Check, results []weir.Result, states []algorithm.State) *denial {
	e := &denial{
		question: q, arrived: arrived,
		checks: ungrouped(checks), results: slices.Clone(results[:len(checks)]), states: slices.Clone(states),
	}
	for i := range checks {
		e.shape = append(e.shape, flags(checks, i))
		k := &e.checks[i].Key
		// A caller's text may be a piece of something large.
		*k = weir.Key{Layer: strings.Clone(k.Layer), Limit: strings.Clone(k.Limit), Identity: strings.Clone(k.Identity)}
	}
	return e
}

// onlyPasses reports whether the checks do no more than pass or not: none wants to
// know, is reported apart, or counts what it refuses.
func onlyPasses(checks []weir.Check) bool {
	for i := range checks {
		c := &checks[i]
		long := len(c.Key.Layer)+len(c.Key.Limit)+len(c.Key.Identity) > denialKeySize
		if c.Cost == 0 || c.Peek || c.Limit.CountsAll() || c.Group != nil && c.Group.Shadow || long {
			return false
		}
	}
	return len(checks) <= denialChecks
}

// foreseeable reports whether it is known what the answers will be. Of a log only
// the outcome is here, so not how much remains of what a part leaves again.
func foreseeable(checks []weir.Check, results []weir.Result) bool {
	for i := range checks {
		c, r := &checks[i], &results[i]
		unused := r.Allowed && r.Remaining == r.Limit
		empty := !r.Allowed && (c.Cost == 1 || c.Limit.Blocked())
		if c.Limit.Algorithm() == weir.SlidingLog && !unused && !empty {
			return false
		}
	}
	return true
}

func (e *denial) isOf(checks []weir.Check) bool {
	if !sameRequest(e.checks, checks) {
		return false
	}
	for i := range checks {
		if len(checks) > 1 && e.shape[i] != flags(checks, i) {
			return false // of a single check the group makes no difference
		}
	}
	return true
}

// stands reports whether every check that refused still does: a wait ends with the
// first instant that admits, which is a whole µs, and of the one that the server
// read some may have passed.
func (e *denial) stands(passed time.Duration) bool {
	for i := range e.results {
		if r := &e.results[i]; !r.Allowed && passed+time.Microsecond >= r.RetryAfter {
			return false
		}
	}
	return true
}

// answer is what the request gets so long after the answer it got.
func (e *denial) answer(passed time.Duration, checks []weir.Check, results []weir.Result) {
	for i := range e.results {
		c, r := &checks[i], &e.results[i]
		if c.Limit.Algorithm() == weir.SlidingLog || !r.Allowed && c.Cost == 1 {
			results[i] = later(*r, passed.Truncate(time.Microsecond))
			continue
		}
		at := r.At + passed.Microseconds()
		results[i] = result(c, r.Allowed, false, e.states[i], c.Limit.Compiled().Read(e.states[i], at, c.Cost), at)
	}
}

// later is the result where nothing remains before the wait is over.
func later(r weir.Result, passed time.Duration) weir.Result {
	r.At += passed.Microseconds()
	if r.RetryAfter != weir.Never {
		r.RetryAfter -= min(passed, r.RetryAfter)
		r.NextAfter -= min(passed, r.NextAfter)
	}
	r.ResetAfter -= min(passed, r.ResetAfter)
	return r
}
