package turns

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Spread is a median over rounds, with the least and the most.
type Spread struct {
	Median, Least, Most float64
	Rounds              int
}

// Read collects the turns of a text, and the other lines that stand before the first.
func Read(in io.Reader) (all Results, heading []string, err error) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if t, ok := Parse(lines.Text()); ok {
			all = append(all, t)
		} else if len(all) == 0 && lines.Text() != "" {
			heading = append(heading, lines.Text())
		}
	}
	return all, heading, lines.Err()
}

// Of is the spread of one contender's figures in a unit; ok is false where there are
// none.
func (r Results) Of(contest, contender, unit string) (s Spread, ok bool) {
	var values []float64
	for _, v := range r.rounds(contest, contender, unit) {
		values = append(values, v)
	}
	return spread(values)
}

// Ratio says how many times better one is than another, round by round: above 1,
// the first is the better.
func (r Results) Ratio(contest, one, other, unit string) (s Spread, ok bool) {
	return r.Across(contest, one, contest, other, unit)
}

// Across is Ratio for the work of two contests.
func (r Results) Across(contest, one, otherContest, other, unit string) (s Spread, ok bool) {
	mine, theirs := r.rounds(contest, one, unit), r.rounds(otherContest, other, unit)
	var values []float64
	for round, v := range mine {
		if w, ok := theirs[round]; ok && v > 0 && w > 0 {
			if !strings.HasSuffix(unit, "/s") {
				v, w = w, v
			}
			values = append(values, v/w)
		}
	}
	return spread(values)
}

func (r Results) rounds(contest, contender, unit string) map[int]float64 {
	found := map[int]float64{}
	for _, t := range r {
		if t.Contest != contest || t.Contender != contender {
			continue
		}
		for _, f := range t.Figures {
			if f.Unit == unit {
				found[t.Round] = f.Value
			}
		}
	}
	return found
}

func spread(values []float64) (Spread, bool) {
	if len(values) == 0 {
		return Spread{}, false
	}
	slices.Sort(values)
	return Spread{median(values), values[0], values[len(values)-1], len(values)}, true
}

func median(sorted []float64) float64 {
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// String is "51.2 (48.7 to 60.1)".
func (s Spread) String() string {
	return fmt.Sprintf("%s (%s to %s)", digits(s.Median), digits(s.Least), digits(s.Most))
}

// Contests are the contests there are, in order.
func (r Results) Contests() (names []string) {
	for _, t := range r {
		if !slices.Contains(names, t.Contest) {
			names = append(names, t.Contest)
		}
	}
	return names
}

// Contenders are those of a contest, in the order of its first round.
func (r Results) Contenders(contest string) (names []string) {
	for _, t := range r {
		if t.Contest == contest && !slices.Contains(names, t.Contender) {
			names = append(names, t.Contender)
		}
	}
	return names
}

// Unit is the first that a contest measures in.
func (r Results) Unit(contest string) string {
	for _, t := range r {
		if t.Contest == contest && len(t.Figures) > 0 {
			return t.Figures[0].Unit
		}
	}
	return ""
}

// Summarise writes for each contest what each contender measured, and how many times
// better one of them was, by the first figure.
func (r Results) Summarise(out io.Writer, one string) {
	for _, contest := range r.Contests() {
		unit := r.Unit(contest)
		fmt.Fprintf(out, "\n%s, %s: median (least to most)\n", contest, unit)
		for _, name := range r.Contenders(contest) {
			s, _ := r.Of(contest, name, unit)
			fmt.Fprintf(out, "  %-22s %-36v", name, s)
			if ratio, ok := r.Ratio(contest, one, name, unit); ok && name != one {
				fmt.Fprintf(out, " %s is %v times better", one, ratio)
			}
			fmt.Fprintln(out)
		}
	}
}
