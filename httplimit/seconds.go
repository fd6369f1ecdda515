package httplimit

import (
	"time"

	"github.com/weirhq/weir"
)

// RetryAfterSeconds is the value of a Retry-After field: rounded up, at least 1,
// for a client told 0 comes back at once and is refused again.
func RetryAfterSeconds(d time.Duration) int64 { return max(1, ceilSeconds(d)) }

// resetAt is in seconds since the Unix epoch, rounded up, and counted from the
// decision's own instant: told from a clock that is read later, it would wobble
// between answers.
func resetAt(r *weir.Result) int64 {
	at := time.Duration(r.At%1_000_000) * time.Microsecond // whole seconds stay apart: a sum in ns may overflow
	return r.At/1_000_000 + ceilSeconds(min(r.ResetAfter, weir.Never-time.Second)+at)
}

func ceilSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}
