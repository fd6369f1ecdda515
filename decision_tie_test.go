package weir_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// Where an earlier layer that let the request pass and one that refused it have
// the same wait, the headers speak of the one that refused, as the body does.
func TestTightestOfEqualWaitsRefused(t *testing.T) {
	checks := []weir.Check{{Cost: 1}, {Cost: 1}, {Cost: 1}}
	results := []weir.Result{
		{Allowed: true, Charged: true, Limit: 1, NextAfter: time.Minute},
		{Reason: weir.OverLimit, Limit: 1, RetryAfter: time.Minute, NextAfter: time.Minute},
		{Reason: weir.OverLimit, Limit: 1, RetryAfter: time.Minute, NextAfter: time.Minute},
	}
	if d := weir.Decide(7, checks, results); d.Tightest != 1 || d.Refused != 1 {
		t.Errorf("tightest %d, refused %d", d.Tightest, d.Refused)
	}
}
