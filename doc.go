// Package weir decides, for each request, whether it may pass now: five exact
// rate-limiting algorithms, in memory or in a store that many machines share.
//
//	limiter, err := weir.New(weir.PerMinute(100), weir.WithBurst(20)) // GCRA, in memory
//	if err != nil {
//		return err
//	}
//	result, err := limiter.Allow(ctx, "user:42")
//	if err == nil && !result.Allowed {
//		time.Sleep(result.RetryAfter) // then it is admitted
//	}
//
// A [Limiter] is one limit. What a request of several layers needs is a list of
// [Check], decided by a [Store] at one instant, and folded by [Decide].
//
// # Time
//
// A store decides by its own clock, in whole microseconds. Every time in an
// answer is relative to the decision's instant and rounded up: whoever waits
// exactly [Result.RetryAfter] and comes alone is admitted.
//
// # Errors
//
// A refused request is a [Result], never an error. An error means that no
// decision was made. What cannot be represented is refused by [NewLimit] and
// [New], never at request time.
//
// # Concurrency
//
// Everything here may be used from many goroutines at once.
package weir
