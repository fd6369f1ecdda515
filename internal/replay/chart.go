package replay

import (
	"cmp"
	"slices"
	"strconv"
)

// A page can name so many callers of a limit, those with the greatest needs, and
// of all limits together about so many.
const (
	maxHeaviest = 100
	allHeaviest = 2000
)

// Chart is requests over time.
type Chart struct {
	start   int64 // s since the Unix epoch
	width   int64 // s
	all     []int64
	refused []int64
}

// heavyCaller is a caller with a great need at one limit.
type heavyCaller struct {
	name           string
	requests, need int64
	refused        []int64 // at each count of the ladder, as far as it refuses any
}

func (t *tally) chart() Chart {
	c := Chart{start: t.times.first * t.times.width, width: t.times.width}
	for _, b := range t.times.bins {
		c.all = append(c.all, b.requests)
		c.refused = append(c.refused, b.refused)
	}
	return c
}

func (t *tally) heaviest(r *row) []heavyCaller {
	order := make([]int, len(r.callers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.callers[b].need, r.callers[a].need),
			cmp.Compare(r.callers[b].requests, r.callers[a].requests), cmp.Compare(a, b))
	})
	most := min(len(order), maxHeaviest, max(10, allHeaviest/len(t.rows)))
	var heaviest []heavyCaller
	for _, i := range order[:most] {
		m := r.callers[i]
		c := heavyCaller{name: t.named(m.who), requests: m.requests, need: m.need}
		for _, s := range m.steps {
			c.refused = append(c.refused, s.refused)
		}
		heaviest = append(heaviest, c)
	}
	return heaviest
}

func countText(n int64) string { return strconv.FormatInt(n, 10) }
