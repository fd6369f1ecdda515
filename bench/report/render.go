package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirhq/weir/bench/turns"
)

// render is the document's part, and the charts by the names of their files.
func render(dir string) (text string, charts map[string]string, err error) {
	var out strings.Builder
	charts = map[string]string{}
	for _, s := range sections {
		r, heading, file, err := last(dir, s.program)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintf(&out, "## %s\n\n%s\n\n", s.title, s.intro)
		s.provenance(&out, heading, file)
		s.aimsTable(&out, r)
		for _, c := range s.contests {
			c.table(&out, r)
			if c.chart {
				name := "peers-" + c.name + ".svg"
				charts[name] = chartOf(c.title, r.Unit(c.name), barsOf(r, c.name))
				fmt.Fprintf(&out, "![%s](images/%s)\n\n", c.title, name)
			}
		}
	}
	return strings.TrimSuffix(out.String(), "\n"), charts, nil
}

// provenance says on what, and with which versions.
func (s section) provenance(out *strings.Builder, heading []string, file string) {
	var machine, versions []string
	for _, line := range heading {
		if v, ok := strings.CutPrefix(line, "version "); ok {
			versions = append(versions, v)
		} else {
			machine = append(machine, line)
		}
	}
	fmt.Fprintf(out, "Measured on %s. Versions: %s. Medians, with the least and the most; all turns are in [%s](../bench/results/%s).\n\n",
		strings.Join(machine, "; "), strings.Join(versions, "; "), file, file)
}

func (s section) aimsTable(out *strings.Builder, r turns.Results) {
	fmt.Fprintf(out, "| aim | measured | met |\n|---|---|---|\n")
	for _, a := range s.aims {
		measured, met := a.judge(r)
		fmt.Fprintf(out, "| %s | %s | %s |\n", a.text, measured, met)
	}
	out.WriteString("\n")
}

// judge holds the median against what is wanted.
func (a aim) judge(r turns.Results) (measured, met string) {
	spread, ok := r.Of(a.contest, a.one, a.unit)
	if !a.absolute {
		other := a.otherContest
		if other == "" {
			other = a.contest
		}
		if a.most { // as a multiple of the other's cost
			spread, ok = r.Across(other, a.other, a.contest, a.one, a.unit)
		} else {
			spread, ok = r.Across(a.contest, a.one, other, a.other, a.unit)
		}
	}
	if !ok {
		return "not measured", "-"
	}
	if a.want == 0 && !a.absolute {
		return show(spread), ""
	}
	met = "no"
	if a.most == (spread.Median <= a.want) || spread.Median == a.want {
		met = "yes"
	}
	return show(spread), met
}

func (c contest) table(out *strings.Builder, r turns.Results) {
	unit := r.Unit(c.name)
	fmt.Fprintf(out, "### %s\n\n| | %s |", c.title, unit)
	for _, column := range c.columns {
		fmt.Fprintf(out, " %s |", column[1])
	}
	fmt.Fprintf(out, " `weir` is |\n|---|---|%s---|\n", strings.Repeat("---|", len(c.columns)))
	for _, name := range r.Contenders(c.name) {
		s, _ := r.Of(c.name, name, unit)
		fmt.Fprintf(out, "| `%s` | %s |", name, show(s))
		for _, column := range c.columns {
			s, _ := r.Of(c.name, name, column[0])
			fmt.Fprintf(out, " %s |", number(s.Median))
		}
		if ratio, ok := r.Ratio(c.name, "weir", name, unit); ok && name != "weir" {
			fmt.Fprintf(out, " %s times better |\n", show(ratio))
		} else {
			out.WriteString(" |\n")
		}
	}
	out.WriteString("\n")
}

func show(s turns.Spread) string {
	if s.Least == s.Most {
		return number(s.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", number(s.Median), number(s.Least), number(s.Most))
}

// number has three digits below a thousand, and commas above.
func number(v float64) string {
	if v < 1000 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
