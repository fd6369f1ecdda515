package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/weirhq/weir/bench/turns"
)

// page writes what a result says between the marks of a page,
//
//	<!-- growth: NAME -->
//	<!-- /growth -->
//
// and leaves the rest alone.
type page struct {
	result  string // file
	heading []string
	turns.Results
	missing error // the first figure that was not there
}

const (
	opening, named, closing = "<!-- growth: ", " -->\n", "<!-- /growth -->"
)

func (p *page) write(file string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := p.fill(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// fill replaces every block, and fails where one is unknown, unclosed or missing.
func (p *page) fill(text string) (string, error) {
	var out strings.Builder
	blocks := p.blocks()
	for {
		before, rest, ok := strings.Cut(text, opening)
		out.WriteString(before)
		if !ok {
			break
		}
		name, rest, _ := strings.Cut(rest, named)
		write, known := blocks[name]
		_, after, closed := strings.Cut(rest, closing)
		if !known || !closed {
			return "", fmt.Errorf("no block %q, or it has no end", name)
		}
		delete(blocks, name)
		out.WriteString(opening + name + named + "\n" + strings.TrimSpace(write()) + "\n\n" + closing)
		text = after
	}
	for name := range blocks {
		return "", fmt.Errorf("the page has no block %q", name)
	}
	return out.String(), p.missing
}

// spread is a figure's, and noted as missing where there is none.
func (p *page) spread(contest, contender, unit string) turns.Spread {
	s, ok := p.Of(contest, contender, unit)
	if !ok && p.missing == nil {
		p.missing = fmt.Errorf("no %s of %s in %s", unit, contender, contest)
	}
	return s
}

func (p *page) median(contest, contender, unit string) float64 {
	return p.spread(contest, contender, unit).Median
}

// byClock is a time that a clock took: the least of the rounds, since whatever else the
// machine does only adds to it.
func (p *page) byClock(contest, contender, unit string) string {
	return shown(p.spread(contest, contender, unit).Least)
}

// upTo is the largest number up to most at which a kind was measured, or the least.
func (p *page) upTo(contest, kind string, most int) int {
	all := numbers(p.Results, contest, kind)
	if len(all) == 0 {
		if p.missing == nil {
			p.missing = fmt.Errorf("no %s in %s", kind, contest)
		}
		return 0
	}
	best := all[0]
	for _, n := range all {
		if n <= most {
			best = n
		}
	}
	return best
}

// table is one of Markdown.
func table(heading []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(heading)
	b.WriteString("|" + strings.Repeat("---|", len(heading)) + "\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// shown has three digits, and commas between thousands.
func shown(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.001:
		return "under 0.001"
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	if v = math.Round(v/unit) * unit; v < 1000 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// ranged is a median with the least and the most.
func ranged(s turns.Spread) string {
	return fmt.Sprintf("%s (%s to %s)", shown(s.Median), shown(s.Least), shown(s.Most))
}

func whole(n int) string { return shown(float64(n)) }
