package replay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// report sums up. layers are the policy's, in order.
func (t *tally) report(layers []string) *Report {
	t.times.endMinute()
	t.backlog.settle()
	r := &Report{
		Requests: t.requests, Refused: t.refused, Callers: int64(len(t.callersSeen())),
		Files: []File{}, BrokenLines: []Line{}, chart: t.chart(),
	}
	if t.requests > 0 {
		r.From, r.To = instantOf(t.from), instantOf(t.to)
	}
	r.Layers = t.limits(layers)
	r.Denied = t.denials()
	r.TopRefused, r.CallersRefused = t.topCallers()
	r.TopRoutes = t.topRoutes()
	r.TopMinutes = t.topMinutes()
	r.Peaks = t.peaks()
	return r
}

func instantOf(micros int64) *time.Time {
	at := time.UnixMicro(micros).UTC()
	return &at
}

// callersSeen are the numbers of those who sent requests: the roster also holds
// identities that only layers know.
func (t *tally) callersSeen() (seen []int32) {
	for i := range t.who {
		if t.who[i].requests > 0 {
			seen = append(seen, int32(i))
		}
	}
	return seen
}

// limits are the rows in the order of the layers, and a row for each layer that
// counted nothing.
func (t *tally) limits(layers []string) []Limit {
	limits := []Limit{}
	for _, layer := range layers {
		none := true
		for _, r := range t.sortedRows() {
			if r.key.layer == layer {
				limits = append(limits, t.limit(r))
				none = false
			}
		}
		if none {
			empty := Limit{Layer: layer, Mode: "enforced", Ladder: []Step{}}
			for i := range shares {
				empty.Suggest[i], empty.SuggestRequests[i] = noCount, noCount
			}
			limits = append(limits, empty)
		}
	}
	return limits
}

// sortedRows are in the order of names and limits, so that a report does not
// depend on which was met first.
func (t *tally) sortedRows() []*row {
	return slices.SortedFunc(slices.Values(t.rows), func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.key.name, b.key.name), cmp.Compare(a.key.limit.Rate().Count, b.key.limit.Rate().Count),
			cmp.Compare(a.key.limit.String(), b.key.limit.String()))
	})
}

func (t *tally) limit(r *row) Limit {
	l := Limit{
		Layer: r.key.layer, Limit: limitText(r.key.limit), Name: r.key.name, Mode: "enforced",
		Requests: r.requests(), Callers: int64(len(r.callers)), Refused: r.refused(), CallersRefused: r.callersRefused(),
		Ladder: []Step{}, count: r.key.limit.Rate().Count,
	}
	if r.key.shadow {
		l.Mode = "shadow"
	}
	for i := range shares {
		l.Suggest[i], l.SuggestRequests[i] = noCount, noCount
	}
	if r.trials != nil {
		l.per = strings.TrimPrefix(l.Limit, countText(l.count))
		l.weigh(r)
		l.heaviest = t.heaviest(r)
	}
	return l
}

// limitText is the limit in canonical form.
func limitText(l *weir.Limit) string {
	if l.Blocked() {
		return "blocked"
	}
	return l.String()
}

// weigh fills in what other counts would do.
func (l *Limit) weigh(r *row) {
	needs := r.needs()
	for i, share := range shares {
		l.Suggest[i] = needs[int64(len(needs))/share.in]
	}
	refused := r.ladderRefused()
	for i := range r.trials.ladder {
		count := r.trials.ladder[i].Count
		above, _ := slices.BinarySearchFunc(needs, count, func(need, count int64) int {
			if need > count {
				return -1
			}
			return 1
		})
		l.Ladder = append(l.Ladder, Step{Count: count, CallersRefused: int64(above), Refused: refused[i]})
	}
	l.trim()
	for i, share := range shares {
		for _, s := range slices.Backward(l.Ladder) {
			if s.Refused*share.in > l.Requests {
				break
			}
			l.SuggestRequests[i] = s.Count
		}
	}
}

// trim ends the ladder one step above the first count that refuses nothing, or at
// the limit's own count if that is higher.
func (l *Limit) trim() {
	last := slices.IndexFunc(l.Ladder, func(s Step) bool { return s.CallersRefused == 0 })
	own := slices.IndexFunc(l.Ladder, func(s Step) bool { return s.Count == l.count })
	if last >= 0 {
		l.Ladder = l.Ladder[:min(len(l.Ladder), max(last+2, own+1))]
	}
}

// topCallers are the most refused, and how many were refused at all.
func (t *tally) topCallers() (top []Caller, refused int64) {
	top = []Caller{}
	for _, n := range t.callersSeen() {
		c := &t.who[n]
		if c.refused == 0 {
			continue
		}
		refused++
		if len(top) == maxTop && c.refused <= top[maxTop-1].Refused {
			continue
		}
		place := len(top)
		for place > 0 && top[place-1].Refused < c.refused {
			place--
		}
		top = slices.Insert(top, place, Caller{t.named(n), c.requests, c.refused})
		top = top[:min(len(top), maxTop)]
	}
	return top, refused
}

// named is a caller as reports show it.
func (t *tally) named(n int32) string {
	identity := t.callers.texts[n]
	first, rest, _ := strings.Cut(identity, "|")
	if name, found := t.names[first]; found {
		first = beginning(name, 60)
	}
	switch {
	case first == "":
		return "unknown"
	case rest == "":
		return first
	}
	return first + "|" + rest
}

func (t *tally) denials() []Denied {
	denied := []Denied{}
	for why, n := range t.denied {
		denied = append(denied, Denied{why, n})
	}
	slices.SortFunc(denied, func(a, b Denied) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Why, b.Why))
	})
	return denied
}

func (t *tally) topRoutes() []Route {
	routes := []Route{}
	for _, c := range t.routes.top(maxTop) {
		routes = append(routes, Route{c.text, c.count, c.over})
	}
	return routes
}

func (t *tally) topMinutes() []Minute {
	minutes := slices.Clone(t.times.minutes)
	for i := range minutes {
		minutes[i].Start = time.Unix(60*minutes[i].start, 0).UTC()
	}
	return append([]Minute{}, minutes...)
}

func (t *tally) peaks() Peaks {
	var all []int64
	for _, n := range t.callersSeen() {
		all = append(all, t.who[n].peak)
	}
	p := Peaks{Histogram: []Bucket{}}
	if len(all) == 0 {
		return p
	}
	slices.Sort(all)
	at := func(thousandths int) int64 { return all[(len(all)*thousandths+999)/1000-1] }
	p.P50, p.P90, p.P99, p.P999, p.Max = at(500), at(900), at(990), at(999), all[len(all)-1]
	for from, upTo := 0, int64(1); from < len(all); upTo *= 2 {
		to, _ := slices.BinarySearch(all, upTo+1)
		p.Histogram = append(p.Histogram, Bucket{upTo, int64(to - from)})
		from = to
	}
	return p
}
