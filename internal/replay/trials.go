package replay

import (
	"math"
	"slices"

	"github.com/weirhq/weir/internal/algorithm"
)

// noCount is the need of a caller whom no count admits: its burst refuses it.
const noCount = math.MaxInt64

// trials look at one limit alone, at other counts than its own. Period and
// algorithm stay; a burst that is the count stays the count, any other stays.
//
// A caller who is never refused at some count is never refused at a higher one,
// so one number says it all: its need, the least count that admits everything it
// did. That is exact, from one pass, because until a first refusal the state at
// every count is one in which nothing was refused.
//
// How many requests a count refuses takes a state for that count. These are kept
// for the counts of the ladder, and of those only where the caller has been
// refused, which for most callers is none or a few.
type trials struct {
	limit   *algorithm.Limit
	ladder  []algorithm.Limit
	start   func() demand
	callers []trial
}

// trial is one caller.
type trial struct {
	demand demand
	need   int64
	steps  []step // for ladder[:len(steps)], which are the counts below need
}

// step is a caller's state at one count.
type step struct {
	refused int64
	state   algorithm.State
	log     *algorithm.Log // of a sliding log
}

// demand follows one caller as if nothing were ever refused.
type demand interface {
	// add takes a request and returns the least count that admits it too.
	add(now, cost int64) int64
	// before is the state under l just before the last request. l admitted all
	// until then.
	before(l *algorithm.Limit, now int64) step
}

func newTrials(l *algorithm.Limit) *trials {
	return &trials{limit: l, ladder: ladder(l), start: demandOf(l)}
}

// demandOf makes what follows one more caller of the limit.
func demandOf(l *algorithm.Limit) func() demand {
	switch l.Kind {
	case algorithm.FixedWindow, algorithm.SlidingCounter:
		top := boundless(l)
		return func() demand { return &windowDemand{boundless: top} }
	case algorithm.SlidingLog:
		return func() demand { return &logDemand{period: l.Period} }
	}
	return func() demand { return &bucketDemand{limit: l} }
}

func (t *trials) add(caller int, now, cost int64) {
	for caller >= len(t.callers) {
		t.callers = append(t.callers, trial{demand: t.start()})
	}
	if cost == 0 {
		return // it takes nothing
	}
	c := &t.callers[caller]
	need := c.demand.add(now, cost)
	for i := range c.steps {
		c.steps[i].take(&t.ladder[i], now, cost)
	}
	for len(c.steps) < len(t.ladder) && t.ladder[len(c.steps)].Count < need {
		l := &t.ladder[len(c.steps)]
		first := c.demand.before(l, now)
		first.take(l, now, cost)
		c.steps = append(c.steps, first)
	}
	c.need = max(c.need, need)
}

func (s *step) take(l *algorithm.Limit, now, cost int64) {
	admitted := false
	if s.log != nil {
		admitted = s.log.Take(l, now, cost)
	} else {
		s.state, admitted = l.Take(s.state, now, cost)
	}
	if !admitted {
		s.refused++
	}
}

// needs are those of all callers, the greatest first.
func (t *trials) needs() []int64 {
	needs := make([]int64, len(t.callers))
	for i := range t.callers {
		needs[i] = t.callers[i].need
	}
	slices.SortFunc(needs, func(a, b int64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	return needs
}

// refused is how many requests each count of the ladder refuses.
func (t *trials) refused() []int64 {
	refused := make([]int64, len(t.ladder))
	for i := range t.callers {
		for j := range t.callers[i].steps {
			refused[j] += t.callers[i].steps[j].refused
		}
	}
	return refused
}
