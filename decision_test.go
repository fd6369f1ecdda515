package weir_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// How the answers to a request's checks come to one decision.
func TestDecide(t *testing.T) {
	enforced, shadow := &weir.Group{}, &weir.Group{Shadow: true}
	allowed := func(g *weir.Group, remaining int64, next time.Duration) answer {
		return answer{g, 1, weir.Result{Allowed: true, Charged: true, Limit: 10, Remaining: remaining, NextAfter: next, At: 7}}
	}
	refused := func(g *weir.Group, wait time.Duration) answer {
		return answer{g, 1, weir.Result{Reason: weir.OverLimit, Limit: 10, RetryAfter: wait, NextAfter: wait, At: 7}}
	}
	nothing := func(next time.Duration) answer { // a cost of 0, whose NextAfter is that of 1
		return answer{enforced, 0, weir.Result{Allowed: true, Limit: 10, NextAfter: next, At: 7}}
	}
	for _, c := range []struct {
		name     string
		answers  []answer
		allowed  bool
		retry    time.Duration
		tightest int
		refused  int
	}{
		{"nothing was checked", nil, true, 0, -1, -1},
		{"one passes", []answer{allowed(enforced, 3, 0)}, true, 0, 0, -1},
		{"no group is enforced", []answer{allowed(nil, 3, 0), refused(nil, 4)}, false, 4, 1, 1},
		{"the smallest remaining", []answer{allowed(enforced, 3, 0), allowed(enforced, 1, 0), allowed(enforced, 2, 9)}, true, 0, 1, -1},
		{"the first of equals", []answer{allowed(enforced, 2, 0), allowed(enforced, 1, 0), allowed(enforced, 1, 9)}, true, 0, 1, -1},
		{"the longest wait", []answer{refused(enforced, 4), refused(enforced, 9), refused(enforced, 5)}, false, 9, 1, 0},
		{"the first of the longest", []answer{allowed(enforced, 0, 2), refused(enforced, 9), refused(enforced, 9)}, false, 9, 1, 1},
		{"a wait that the call itself caused", []answer{allowed(enforced, 0, 60), refused(enforced, 9)}, false, 60, 0, 1},
		{"never is the longest", []answer{refused(enforced, 9), refused(enforced, weir.Never)}, false, weir.Never, 1, 0},
		{"a cost of 0 waits for nothing", []answer{nothing(60), refused(enforced, 9)}, false, 9, 1, 1},
		{"a cost of 0 of a blocked limit", []answer{refused(enforced, 9), nothing(weir.Never)}, false, 9, 0, 0},
		{"a shadow refuses nobody", []answer{refused(shadow, 9), allowed(enforced, 3, 0)}, true, 0, 1, -1},
		{"a shadow is never the tightest", []answer{allowed(shadow, 0, 99), allowed(enforced, 3, 0)}, true, 0, 1, -1},
		{"a shadow waits for nobody", []answer{refused(enforced, 4), refused(shadow, 9)}, false, 4, 0, 0},
		{"only a shadow", []answer{refused(shadow, 9)}, true, 0, -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var checks []weir.Check
			var results []weir.Result
			for _, a := range c.answers {
				checks = append(checks, weir.Check{Group: a.group, Cost: a.cost})
				results = append(results, a.result)
			}
			d := weir.Decide(42, checks, results)
			if d.Allowed != c.allowed || d.RetryAfter != c.retry || d.Tightest != c.tightest || d.Refused != c.refused {
				t.Errorf("allowed %t, retry after %d, tightest %d, refused %d", d.Allowed, d.RetryAfter, d.Tightest, d.Refused)
			}
			if d.ID != 42 || d.Denied != "" || len(d.Results) != len(results) || len(results) > 0 && d.At != 7 {
				t.Errorf("%+v", d)
			}
			for i, r := range d.Results {
				if r.ID != 42 {
					t.Errorf("result %d is of decision %s", i, r.ID)
				}
			}
		})
	}
}

type answer struct {
	group  *weir.Group
	cost   int64
	result weir.Result
}

// What a decision took is what was charged, and nothing else.
func TestCharges(t *testing.T) {
	limit, err := weir.NewLimit(weir.PerMinute(10))
	if err != nil {
		t.Fatal(err)
	}
	checks := []weir.Check{
		{Key: weir.Key{Identity: "charged"}, Limit: limit, Cost: 3},
		{Key: weir.Key{Identity: "refused"}, Limit: limit, Cost: 4},
		{Key: weir.Key{Identity: "peeked"}, Limit: limit, Cost: 5, Peek: true},
	}
	results := []weir.Result{{Allowed: true, Charged: true, At: 9, Before: weir.Level{Whole: 1, Frac: 2}}, {}, {Allowed: true}}
	d := weir.Decide(1, checks, results)
	want := weir.Charge{Key: checks[0].Key, Limit: limit, Cost: 3, At: 9, Before: weir.Level{Whole: 1, Frac: 2}}
	if got := d.Charges(); len(got) != 1 || got[0] != want {
		t.Errorf("%+v", got)
	}
}

// A denial is no limit's doing: no wait helps and no check is named.
func TestDeny(t *testing.T) {
	d := weir.Deny(5, "gateway: unknown API key")
	if d.Allowed || d.RetryAfter != weir.Never || d.Tightest != -1 || d.Refused != -1 || d.ID != 5 || d.Denied == "" || d.Charges() != nil {
		t.Errorf("%+v", d)
	}
}

// A shadow limit that is exceeded lets every request pass and takes nothing from
// the enforced one (B61): of S shadow 1/min and E 3/min the fourth call is
// refused, by E, and S would have refused three.
func TestB61Shadow(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		for _, shadowFirst := range []bool{true, false} {
			testShadow(t, a, shadowFirst)
		}
	})
}

func testShadow(t *testing.T, a weir.Algorithm, shadowFirst bool) {
	c := newCaller(t, weir.PerMinute(1), with(a))
	enforced := newCaller(t, weir.PerMinute(3), with(a)).limiter.Limit()
	s := weir.Check{Key: weir.Key{Layer: "s", Identity: who}, Limit: c.limiter.Limit(), Cost: 1, Group: &weir.Group{Shadow: true}}
	e := weir.Check{Key: weir.Key{Layer: "e", Identity: who}, Limit: enforced, Cost: 1, Group: &weir.Group{}}
	checks, first, second := []weir.Check{s, e}, 0, 1
	if !shadowFirst {
		checks, first, second = []weir.Check{e, s}, 1, 0
	}
	wouldDeny, denied := 0, 0
	for range 4 {
		results := make([]weir.Result, 2)
		if err := c.store.Take(t.Context(), checks, results); err != nil {
			t.Fatal(err)
		}
		d := weir.Decide(weir.NewID(), checks, results)
		if d.Tightest != second {
			t.Errorf("clients are told of check %d", d.Tightest)
		}
		if !d.Results[first].Allowed {
			wouldDeny++
		}
		if !d.Allowed {
			denied++
		}
	}
	if wouldDeny != 3 || denied != 1 {
		t.Errorf("the shadow would have refused %d of 4, want 3; %d were refused, want 1", wouldDeny, denied)
	}
}
