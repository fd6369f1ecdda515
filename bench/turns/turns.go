// Package turns has contenders do the same work in turn, round after round, so that
// a machine that grows slower meanwhile slows all of them alike. Every turn is a line
// of text; what is said of them is computed from the lines, at once or later.
//
//	contest := turns.Contest{Name: "one-key", Contenders: []turns.Contender{{"weir", takeAll}, {"other", takeAllOfOther}}}
//	results, err := turns.Run(os.Stdout, 8, contest)
//	results.Summarise(os.Stdout, "weir")
package turns

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Contest is one piece of work. Names hold no spaces.
type Contest struct {
	Name       string
	Contenders []Contender
}

// Contender does the work once for each call of Turn.
type Contender struct {
	Name string
	Turn func() ([]Figure, error)
}

// Figure is one thing that a turn measured. More is better where the unit ends in
// "/s", less otherwise.
type Figure struct {
	Value float64
	Unit  string
}

// Turn is what a contender did in one round.
type Turn struct {
	Round              int // from 1
	Contest, Contender string
	Figures            []Figure
}

// Results are turns in the order in which they were taken.
type Results []Turn

// Run has every contender of every contest take its turn in each round, and another
// one begin in each, and writes a line for each turn. The first error ends it.
func Run(out io.Writer, rounds int, contests ...Contest) (all Results, err error) {
	for r := range rounds {
		for _, c := range contests {
			for i := range c.Contenders {
				who := c.Contenders[(i+r)%len(c.Contenders)]
				figures, err := who.Turn()
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", c.Name, who.Name, err)
				}
				t := Turn{r + 1, c.Name, who.Name, figures}
				all = append(all, t)
				fmt.Fprintln(out, t)
			}
		}
	}
	return all, nil
}

// String is the turn as a line: "turn 3  one-key  weir  51.2 ns  0 allocs".
func (t Turn) String() string {
	text := fmt.Sprintf("turn %d  %s  %s", t.Round, t.Contest, t.Contender)
	for _, f := range t.Figures {
		text += fmt.Sprintf("  %s %s", digits(f.Value), f.Unit)
	}
	return text
}

// digits are four of them, and all that stand before the point.
func digits(v float64) string {
	if v >= 1000 || v <= -1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Parse is the turn of a line. Other lines are no turns.
func Parse(line string) (t Turn, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || len(fields)%2 != 0 || fields[0] != "turn" {
		return Turn{}, false
	}
	round, err := strconv.Atoi(fields[1])
	if err != nil {
		return Turn{}, false
	}
	t = Turn{Round: round, Contest: fields[2], Contender: fields[3]}
	for i := 4; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return Turn{}, false
		}
		t.Figures = append(t.Figures, Figure{v, fields[i+1]})
	}
	return t, true
}
