package weir

import (
	"math"
	"time"

	"github.com/weirhq/weir/internal/algorithm"
)

// Never is the wait of a request that no wait will admit: its cost is above the
// capacity, or the limit is blocked. It is the longest duration, so that the
// longest of several waits is still right.
const Never time.Duration = math.MaxInt64

// Reason says why a check was refused.
type Reason uint8

// The reasons.
const (
	// Admitted checks have no reason.
	NoReason Reason = iota
	// OverLimit: there is not enough room now; there will be after RetryAfter.
	OverLimit
	// ExceedsCapacity: the cost is above what the limit can ever admit.
	ExceedsCapacity
	// LimitBlocked: the limit is 0.
	LimitBlocked
)

// String is the reason as answers and logs have it: "over_limit",
// "exceeds_capacity", "blocked", or "" for none.
func (r Reason) String() string {
	return [...]string{"", "over_limit", "exceeds_capacity", "blocked"}[min(r, LimitBlocked)]
}

// Result is the answer to one [Check]. With a limit of 10/s and a burst of 10,
// the eleventh request at one instant gets
//
//	Allowed: false, Limit: 10, Remaining: 0, RetryAfter: 100ms, ResetAfter: 1s
//
// All times are relative to the instant of the decision, in whole microseconds,
// rounded up.
type Result struct {
	// ID is the decision's, for a refund and for an explanation. 0 where the
	// caller of the store gave it none.
	ID ID
	// Allowed says whether this check passes (for a peek: would pass).
	Allowed bool
	// Charged says whether the cost was taken. An allowed check is not charged
	// when it was a peek, or when another check of the request refused.
	Charged bool
	// Reason says why not; NoReason when allowed.
	Reason Reason
	// Overrun says that more is counted than the limit admits: a fixed window with
	// [WithCountAll] counted what it refused too, or the limit was lowered. A cost
	// of 0 is allowed all the same; this tells whoever only looks. Always false
	// for other algorithms.
	Overrun bool
	// Degraded says that not the store decided but what stands in for it: see
	// package failover. With a Limit of 0 too, the request was let pass unseen,
	// and the other figures say nothing.
	Degraded bool
	// Limit is the capacity: the largest Remaining there can be.
	Limit int64
	// Remaining is the largest cost that would be admitted at this instant,
	// after this call: 0 to Limit.
	Remaining int64
	// RetryAfter is how long to wait before the same cost, coming alone, is
	// admitted: 0 when allowed, [Never] when no wait is long enough. Where an
	// earlier check of the request took from the same key and was given back, it
	// is the wait for both, since both come again; so a refusal always has one.
	RetryAfter time.Duration
	// NextAfter is RetryAfter for the call that follows: how long after this
	// one the same cost would pass again. It equals RetryAfter on a refusal.
	NextAfter time.Duration
	// ResetAfter is how long until the key is as good as new.
	ResetAfter time.Duration
	// At is the instant of the decision by the store's clock, µs since the Unix
	// epoch.
	At int64
	// Before is the level just before a take (GCRA and token bucket), for a
	// refund. The zero value otherwise.
	Before Level
}

// Level is a bucket's fill: whole requests, and a fraction in units of the
// limit's own, see internal/algorithm.
type Level struct{ Whole, Frac int64 }

// NewResult is how a store of this module words an answer; n is the check's cost.
func NewResult(l *Limit, n int64, allowed, charged bool, o algorithm.Outcome, at int64) (r Result) {
	r.word(l, n, allowed, charged, &o, at)
	return r
}

// word is NewResult in place: a Result is 15 words, and copying it thrice was a
// quarter of a decision in memory. r is zero but for its ID.
func (r *Result) word(l *Limit, n int64, allowed, charged bool, o *algorithm.Outcome, at int64) {
	r.Allowed, r.Charged = allowed, charged
	r.Limit, r.Remaining = l.compiled.Burst, o.Remaining
	r.NextAfter, r.ResetAfter = duration(o.Wait), duration(o.Reset)
	r.Overrun, r.At = o.Overrun, at
	if allowed {
		return
	}
	r.RetryAfter = r.NextAfter
	switch {
	case l.Blocked():
		r.Reason = LimitBlocked
	case n > l.compiled.Burst || r.RetryAfter == Never:
		r.Reason = ExceedsCapacity
	default:
		r.Reason = OverLimit
	}
}

// duration converts µs; what does not fit is for ever.
func duration(us int64) time.Duration {
	if us > int64(Never/time.Microsecond) {
		return Never
	}
	return time.Duration(us) * time.Microsecond
}
