package httpjson

import (
	"time"

	"github.com/weirhq/weir"
)

// answer is the body that answers a take.
type answer struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	// Layer is the one that refused, or else the tightest; empty where nothing
	// was checked.
	Layer  string  `json:"layer"`
	Denied string  `json:"denied,omitempty"` // why, where a list or an identity refused
	Limits []limit `json:"limits"`
	// RetryAfter is in ms, rounded up: 0 when allowed, -1 for never.
	RetryAfter int64  `json:"retry_after_ms"`
	Degraded   bool   `json:"degraded"`
	Receipt    string `json:"receipt,omitempty"`
}

type limit struct {
	Layer      string `json:"layer"`
	Name       string `json:"name"`
	Algorithm  string `json:"algorithm"`
	Key        string `json:"key"`
	Limit      int64  `json:"limit"`
	Remaining  int64  `json:"remaining"`
	RetryAfter int64  `json:"retry_after_ms"`
	ResetAt    int64  `json:"reset_at_ms"` // since the Unix epoch, rounded up
	Allowed    bool   `json:"allowed"`
	Shadow     bool   `json:"shadow"`
	Reason     string `json:"reason,omitempty"`
}

func newAnswer(d *weir.Decision, receipt string) *answer {
	a := &answer{ID: d.ID.String(), Allowed: d.Allowed, Denied: d.Denied, RetryAfter: milliseconds(d.RetryAfter), Degraded: d.Degraded, Receipt: receipt}
	switch {
	case d.Refused >= 0:
		a.Layer = d.Checks[d.Refused].Key.Layer
	case d.Denied == "" && d.Tightest >= 0:
		a.Layer = d.Checks[d.Tightest].Key.Layer
	}
	a.Limits = make([]limit, len(d.Results))
	for i := range d.Results {
		a.Limits[i] = newLimit(&d.Checks[i], &d.Results[i])
	}
	return a
}

func newLimit(c *weir.Check, r *weir.Result) limit {
	reset := r.ResetAfter/time.Microsecond + time.Duration(r.At)
	return limit{
		Layer:      c.Key.Layer,
		Name:       c.Key.Limit,
		Algorithm:  c.Limit.Algorithm().String(),
		Key:        c.Key.Identity,
		Limit:      r.Limit,
		Remaining:  r.Remaining,
		RetryAfter: milliseconds(r.RetryAfter),
		ResetAt:    int64((reset + 999) / 1000),
		Allowed:    r.Allowed,
		Shadow:     c.Group != nil && c.Group.Shadow,
		Reason:     r.Reason.String(),
	}
}

func milliseconds(d time.Duration) int64 {
	if d == weir.Never {
		return -1
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
