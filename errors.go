package weir

import (
	"errors"
	"fmt"
)

// Errors that callers branch on. A refused request is never one of them: it is a
// [Result]. An error means that no decision was made.
var (
	// ErrNegativeCost is a take of less than 0. Giving back is a refund.
	ErrNegativeCost = errors.New("weir: the cost is negative")
	// ErrDuplicateKey is a call that names one key twice, other than in groups
	// charged [Independent]: what would be charged could depend on what is given
	// back. Nor there under two algorithms: a key holds one state.
	ErrDuplicateKey = errors.New("weir: a key is named twice in one call")
	// ErrNoLimit is a check without a limit.
	ErrNoLimit = errors.New("weir: a check has no limit")
	// ErrUnavailable is a decision that could not be made because the store did
	// not answer, where the policy says that then nothing passes. Clients get
	// 503 or UNAVAILABLE, never 429.
	ErrUnavailable = errors.New("weir: the store does not answer")
	// ErrWaitExceedsDeadline is what [Limiter.Wait] returns at once when the
	// context would end first.
	ErrWaitExceedsDeadline = errors.New("weir: the wait is longer than the context allows")
	// ErrNeverAdmitted is what [Limiter.Wait] returns for a cost above the
	// capacity or a blocked limit: no wait is long enough.
	ErrNeverAdmitted = errors.New("weir: no wait is long enough for this cost")
)

// RateError is a text that is not a rate.
type RateError struct {
	Text   string // what was written
	Reason string // what is wrong with it
	Hint   string // what was probably meant
}

func (e *RateError) Error() string {
	return fmt.Sprintf("weir: rate %q %s: %s", e.Text, e.Reason, e.Hint)
}

// LimitError is a limit that cannot be represented: it is refused when it is
// made, so that no request ever meets it.
type LimitError struct {
	Rate   Rate
	Field  string // "count", "period" or "burst"
	Reason string // what is wrong, with the range that can be
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("weir: limit %s: %s %s", e.Rate, e.Field, e.Reason)
}
