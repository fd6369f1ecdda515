package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir"
)

// model is how requests are charged, told as simply as can be: a number used for
// each key, and one request after another. At one instant every algorithm admits
// n iff used + n ≤ capacity, so the model knows none.
type model struct {
	used map[weir.Key]int64
}

// request is what the model works out about one request.
type request struct {
	model
	checks  []weir.Check
	allowed []bool
	charged []bool
	refused bool
}

func fits(used int64, c weir.Check) bool {
	return c.Cost == 0 || used+c.Cost <= c.Limit.Capacity()
}

// decide is DESIGN.md section 5: layers in order up to the first refusal, each
// all or nothing; "admitted" ones only if nobody refuses; "independent" ones each
// check alone; a shadow's refusal is nobody's.
func (m model) decide(checks []weir.Check) *request {
	r := &request{model: m, checks: checks, allowed: make([]bool, len(checks)), charged: make([]bool, len(checks))}
	for from := 0; from < len(checks); {
		to := from + 1
		for to < len(checks) && checks[to].Group != nil && checks[to].Group == checks[from].Group {
			to++
		}
		r.group(from, to)
		from = to
	}
	if r.refused {
		r.freeAdmitted()
	}
	return r
}

func (r *request) group(from, to int) {
	group := weir.Group{}
	if g := r.checks[from].Group; g != nil {
		group = *g
	}
	passes := true
	switch {
	case group.Charge == weir.Independent:
		for i := from; i < to; i++ {
			passes = r.alone(i) && passes
		}
	case r.refused:
		for i := from; i < to; i++ {
			r.allowed[i] = fits(r.used[r.checks[i].Key], r.checks[i])
		}
		return
	default:
		passes = r.together(from, to)
	}
	r.refused = r.refused || !passes && !group.Shadow
}

// alone decides and charges one check.
func (r *request) alone(i int) bool {
	c := r.checks[i]
	r.allowed[i] = fits(r.used[c.Key], c)
	r.charged[i] = r.allowed[i] && !c.Peek && c.Cost > 0
	if r.charged[i] || c.Limit.CountsAll() && !c.Peek {
		r.used[c.Key] += c.Cost
	}
	return r.allowed[i]
}

// together decides the checks of a group, each on top of those before it, and
// keeps what they took only if all pass. What counts all is counted anyhow.
func (r *request) together(from, to int) bool {
	before := maps.Clone(r.used)
	passes := true
	for i := from; i < to; i++ {
		passes = r.alone(i) && passes
	}
	if passes {
		return true
	}
	for i := from; i < to; i++ {
		if c := r.checks[i]; !c.Limit.CountsAll() {
			r.used[c.Key] = before[c.Key]
			r.charged[i] = false
		}
	}
	return false
}

func (r *request) freeAdmitted() {
	for i, c := range r.checks {
		if c.Group != nil && c.Group.Charge == weir.Admitted && r.charged[i] && !c.Limit.CountsAll() {
			r.used[c.Key] -= c.Cost
			r.charged[i] = false
		}
	}
}

// Over any requests of any groups, made at one instant one after another, a
// store answers, charges and leaves what the model does.
func testModel(t *testing.T, newStore NewStore) {
	eachAlgorithm(t, newStore, func(tr *trial, a weir.Algorithm) {
		tr.Run("keys met once", func(t *testing.T) { tr.in(t).againstModel(a, false) })
		tr.Run("keys met twice", func(t *testing.T) { tr.in(t).againstModel(a, true) })
	})
}

func (tr *trial) againstModel(a weir.Algorithm, twice bool) {
	r := randomness(tr)
	for round := range rounds(20) {
		m := model{used: map[weir.Key]int64{}}
		keys := randomKeys(tr, r, a, fmt.Sprintf("model %t %d", twice, round))
		for range 30 {
			checks := randomRequest(r, keys, twice)
			d, want := tr.decide(checks...), m.decide(checks)
			for i, got := range d.Results {
				if got.Allowed != want.allowed[i] || got.Charged != want.charged[i] {
					tr.Fatalf("%s\ncheck %d: allowed %t, charged %t; want %t, %t",
						describe(checks), i, got.Allowed, got.Charged, want.allowed[i], want.charged[i])
				}
				if left := max(0, got.Limit-m.used[checks[i].Key]); got.Remaining != left {
					tr.Fatalf("%s\ncheck %d: %d remain, want %d", describe(checks), i, got.Remaining, left)
				}
				if !got.Allowed && got.RetryAfter <= 0 {
					tr.Fatalf("%s\ncheck %d: refused without a wait: %+v", describe(checks), i, got)
				}
			}
			if d.Allowed == want.refused {
				tr.Fatalf("%s\nallowed %t", describe(checks), d.Allowed)
			}
		}
	}
}

// randomKeys are six keys, each with the limit it is always asked under.
func randomKeys(tr *trial, r *rand.Rand, a weir.Algorithm, layer string) []weir.Check {
	var keys []weir.Check
	for i := range 6 {
		options := []weir.LimitOption{weir.WithAlgorithm(a)}
		if a == weir.FixedWindow && r.IntN(3) == 0 {
			options = append(options, weir.WithCountAll())
		}
		keys = append(keys, weir.Check{
			Key:   weir.Key{Layer: layer, Limit: fmt.Sprint(i), Identity: fmt.Sprint(i % 3)},
			Limit: limitOf(tr, weir.PerMinute(r.Int64N(15)), options...),
		})
	}
	return keys
}

// randomRequest has up to five checks in groups of one to three. Where keys may be
// in it twice all are independent.
func randomRequest(r *rand.Rand, keys []weir.Check, twice bool) []weir.Check {
	var checks []weir.Check
	var group *weir.Group
	order := r.Perm(len(keys))
	for i := range 1 + r.IntN(5) {
		if i == 0 || r.IntN(2) == 0 {
			group = &weir.Group{Charge: weir.Charging(r.IntN(3)), Shadow: r.IntN(4) == 0}
			if twice {
				group.Charge = weir.Independent
			} else if r.IntN(6) == 0 {
				group = nil
			}
		}
		c := keys[order[i]]
		if twice {
			c = keys[r.IntN(3)]
		}
		c.Group, c.Cost, c.Peek = group, r.Int64N(4), r.IntN(8) == 0
		checks = append(checks, c)
	}
	return checks
}

func describe(checks []weir.Check) string {
	text := "request"
	for _, c := range checks {
		text += fmt.Sprintf("\n  %q %d of %s peek %t", c.Key.Limit, c.Cost, c.Limit, c.Peek)
		if c.Group != nil {
			text += fmt.Sprintf(" group %p %s shadow %t", c.Group, c.Group.Charge, c.Group.Shadow)
		}
	}
	return text
}
