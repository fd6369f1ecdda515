package replay

import "github.com/weirhq/weir/internal/algorithm"

// windowDemand follows a caller of a fixed window or a sliding counter. Their
// states hold counts and no limit, so the one state that a boundless limit keeps
// is right for all.
type windowDemand struct {
	all  *windowDemands
	last algorithm.State
}

// windowDemands is what the callers of one limit share.
type windowDemands struct {
	boundless *algorithm.Limit
	prior     algorithm.State // before the last add of all
}

// boundless is the limit with the greatest count that there is.
func boundless(l *algorithm.Limit) *algorithm.Limit {
	top := algorithm.MaxWindowCount
	if l.Kind == algorithm.SlidingCounter {
		top = algorithm.MaxCounterCount
	}
	limit, err := algorithm.Compile(l.Kind, top, l.Period, 0)
	if err != nil {
		panic(err) // the period is that of a limit which compiled
	}
	return &limit
}

func (d *windowDemand) add(now, cost int64) int64 {
	d.all.prior = d.last
	d.last, _ = d.all.boundless.Take(d.last, now, cost)
	return d.all.boundless.Count - d.all.boundless.Remaining(d.last, now)
}

func (d *windowDemand) before(*algorithm.Limit, int64) step { return step{state: d.all.prior} }
