package replay

import "slices"

// maxBins is how many stretches of time a chart has at most.
const maxBins = 400

// widths of a stretch, in seconds; each is a multiple of the one before. Above
// the last they double.
var widths = []int64{1, 5, 10, 30, 60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 7 * 86_400, 28 * 86_400}

// timeline counts requests over time, in stretches that grow wider as the logs
// grow longer, and knows the minutes with the most refusals.
type timeline struct {
	width int64 // seconds; 0 before the first request
	first int64 // bins[0], as a multiple of width since the Unix epoch
	bins  []bin

	minute  Minute
	minutes []Minute // the most refused, those first
}

type bin struct{ requests, refused int64 }

// add counts a request at an instant that is no earlier than the one before.
func (t *timeline) add(now int64, refused bool) {
	if t.width == 0 {
		t.width = widths[0]
		t.first = now / 1_000_000
		t.minute.start = now / minute
	}
	for now/1_000_000/t.width-t.first >= maxBins {
		t.widen()
	}
	for place := now/1_000_000/t.width - t.first; place >= int64(len(t.bins)); {
		t.bins = append(t.bins, bin{})
	}
	if now/minute != t.minute.start {
		t.endMinute()
		t.minute = Minute{start: now / minute}
	}
	last := &t.bins[len(t.bins)-1]
	last.requests++
	t.minute.Requests++
	if refused {
		last.refused++
		t.minute.Refused++
	}
}

func (t *timeline) widen() {
	wider := 2 * t.width
	if i := slices.Index(widths, t.width); i >= 0 && i+1 < len(widths) {
		wider = widths[i+1]
	}
	factor := wider / t.width
	first := t.first / factor
	var bins []bin
	for i, b := range t.bins {
		place := (t.first+int64(i))/factor - first
		for int64(len(bins)) <= place {
			bins = append(bins, bin{})
		}
		bins[place].requests += b.requests
		bins[place].refused += b.refused
	}
	t.width, t.first, t.bins = wider, first, bins
}

// endMinute sorts the minute that is over among the most refused.
func (t *timeline) endMinute() {
	if t.minute.Refused == 0 {
		return
	}
	place := len(t.minutes)
	for place > 0 && t.minutes[place-1].Refused < t.minute.Refused {
		place--
	}
	if place < maxTop {
		t.minutes = slices.Insert(t.minutes, place, t.minute)
		t.minutes = t.minutes[:min(len(t.minutes), maxTop)]
	}
}
