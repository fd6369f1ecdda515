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
	ladder []algorithm.Limit
	meet   func() *met
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
	// add takes requests of one instant, and the sum of what they cost, and returns
	// the least count that admits them too.
	add(now, cost int64) int64
	// before is the state under l just before the last add, which was this
	// demand's. l admitted all until then.
	before(l *algorithm.Limit, now int64) step
}

func newTrials(l *algorithm.Limit) *trials {
	return &trials{ladder: ladder(l), meet: meets(l)}
}

// meets makes what is known of one more caller of the limit.
func meets(l *algorithm.Limit) func() *met {
	switch l.Kind {
	case algorithm.FixedWindow, algorithm.SlidingCounter:
		return metsWith(windowDemand{all: &windowDemands{boundless: boundless(l)}})
	case algorithm.SlidingLog:
		return metsWith(logDemand{period: l.Period})
	}
	return metsWith(bucketDemand{limit: l})
}

// metsWith has the demand in the same piece of memory: most callers are looked at for a
// request or two at a time.
func metsWith[D any, P interface {
	*D
	demand
}](fresh D) func() *met {
	var all slab[struct {
		met
		demand D
	}]
	return func() *met {
		m := all.new()
		m.demand = fresh
		m.met.demand = P(&m.demand)
		return &m.met
	}
}

// add takes the caller's next requests.
func (t *trials) add(c *trial, calls []algorithm.Calls) {
	for i := range c.steps {
		c.steps[i].take(&t.ladder[i], calls)
	}
	for i := range calls {
		one := &calls[i]
		need := c.demand.add(one.At, one.Cost*one.Times)
		for len(c.steps) < len(t.ladder) && t.ladder[len(c.steps)].Count < need {
			l := &t.ladder[len(c.steps)]
			first := c.demand.before(l, one.At)
			first.take(l, calls[i:])
			c.steps = append(c.steps, first)
		}
		c.need = max(c.need, need)
	}
}

func (s *step) take(l *algorithm.Limit, calls []algorithm.Calls) {
	refused := int64(0)
	if s.log == nil {
		s.state, refused = l.Run(s.state, calls)
	} else {
		refused = s.log.Run(l, calls)
	}
	s.refused += refused
}

// needs are those of all callers, the greatest first.
func (r *row) needs() []int64 {
	needs := make([]int64, len(r.callers))
	for i, m := range r.callers {
		needs[i] = m.need
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

// ladderRefused is how many requests each count of the ladder refuses.
func (r *row) ladderRefused() []int64 {
	refused := make([]int64, len(r.trials.ladder))
	for _, m := range r.callers {
		for i := range m.steps {
			refused[i] += m.steps[i].refused
		}
	}
	return refused
}
