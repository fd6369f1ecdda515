package trail

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// Under 10/min, of which some are used just now. Whichever algorithm decided, on a
// real store, the others are told the same.
func TestWhatEachAlgorithmWouldSay(t *testing.T) {
	at := noon.Add(20 * time.Second)
	for _, c := range []struct {
		name       string
		used, cost int64
		want       map[weir.Algorithm]string // allowed, remaining, retry, reset
	}{
		{"room", 3, 1, map[weir.Algorithm]string{
			weir.GCRA: "true 6 0s 24s", weir.TokenBucket: "true 6 0s 24s", weir.FixedWindow: "true 6 0s 40s", weir.SlidingLog: "true 6 0s 1m0s", weir.SlidingCounter: "true 6 0s 1m40s",
		}},
		{"none", 10, 1, map[weir.Algorithm]string{
			weir.GCRA: "false 0 6s 1m0s", weir.TokenBucket: "false 0 6s 1m0s", weir.FixedWindow: "false 0 40s 40s", weir.SlidingLog: "false 0 1m0s 1m0s", weir.SlidingCounter: "false 0 46s 1m40s",
		}},
		{"too dear", 0, 11, map[weir.Algorithm]string{
			weir.GCRA: "false 10 never 0s", weir.TokenBucket: "false 10 never 0s", weir.FixedWindow: "false 10 never 40s", weir.SlidingLog: "false 10 never 0s", weir.SlidingCounter: "false 10 never 0s",
		}},
	} {
		for _, real := range weir.Algorithms() {
			t.Run(fmt.Sprint(c.name, "/", real), func(t *testing.T) {
				k, r := take(t, real, c.used, c.cost, at)
				if got := Used(&k, &r); got != c.used {
					t.Errorf("%d are used, want %d", got, c.used)
				}
				answers := WhatIf(&k, &r)
				if len(answers) != 5 {
					t.Fatalf("%d answers", len(answers))
				}
				for _, a := range answers {
					retry := a.RetryAfter.String()
					if a.RetryAfter == weir.Never {
						retry = "never"
					}
					if got := fmt.Sprint(a.Allowed, " ", a.Remaining, " ", retry, " ", a.ResetAfter); got != c.want[a.Algorithm] || a.Real != (a.Algorithm == real) {
						t.Errorf("%s: %s, want %s", a.Algorithm, got, c.want[a.Algorithm])
					}
				}
			})
		}
	}
}

// take decides a cost on a key of a real store that has used some just now.
func take(t *testing.T, a weir.Algorithm, used, cost int64, at time.Time) (weir.Check, weir.Result) {
	t.Helper()
	l, err := weir.NewLimit(weir.PerMinute(10), weir.WithAlgorithm(a))
	if err != nil {
		t.Fatal(err)
	}
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return at }})
	defer store.Close()
	c, r := check(l, "ip:a"), make([]weir.Result, 1)
	for _, n := range []int64{used, cost} {
		c.Cost = n
		if err := store.Take(t.Context(), []weir.Check{c}, r); err != nil {
			t.Fatal(err)
		}
	}
	return c, r[0]
}

// There is nothing to say of what has no room at all.
func TestNothingToSay(t *testing.T) {
	blocked := perMinute(t, 0)
	c := check(blocked, "ip:a")
	if got := WhatIf(&c, &weir.Result{Reason: weir.LimitBlocked}); got != nil {
		t.Errorf("blocked: %v", got)
	}
	c = check(perMinute(t, 10), "ip:a")
	if got := WhatIf(&c, &weir.Result{Allowed: true, Degraded: true}); got != nil {
		t.Errorf("let pass without a decision: %v", got)
	}
}
