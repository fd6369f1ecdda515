package replay

import (
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
	var heaviest []heavyCaller
	for _, m := range topNeeds(r.callers, min(maxHeaviest, max(10, allHeaviest/len(t.rows)))) {
		c := heavyCaller{name: t.named(m.who), requests: m.requests, need: m.need}
		for _, s := range m.steps {
			c.refused = append(c.refused, s.refused)
		}
		heaviest = append(heaviest, c)
	}
	return heaviest
}

// topNeeds are the n callers with the greatest needs, of equal ones those with the most
// requests, and of these those that came first.
func topNeeds(callers []*met, n int) []*met {
	top := make([]*met, 0, n+1)
	for _, m := range callers {
		if len(top) == n && !heavier(m, top[n-1]) {
			continue
		}
		place := len(top)
		for place > 0 && heavier(m, top[place-1]) {
			place--
		}
		top = slices.Insert(top, place, m)
		top = top[:min(len(top), n)]
	}
	return top
}

func heavier(a, b *met) bool {
	return a.need > b.need || a.need == b.need && a.requests > b.requests
}

func countText(n int64) string { return strconv.FormatInt(n, 10) }
