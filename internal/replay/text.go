package replay

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteText writes the report for people, in at most 100 columns unless names are
// long.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	if r.Requests > 0 {
		r.limitTable(&b)
		r.suggestions(&b)
		r.refusals(&b)
		r.peakLine(&b)
	}
	r.brokenLines(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) head(b *strings.Builder) {
	fmt.Fprintf(b, "%s from %s", plural(r.Requests, "request"), plural(r.Callers, "caller"))
	if r.From != nil {
		fmt.Fprintf(b, ", %s to %s UTC", r.From.Format("2006-01-02 15:04:05"), r.To.Format("2006-01-02 15:04:05"))
	}
	fmt.Fprintf(b, "\n%s refused (%s), of %s (%s)\n", number(r.Refused), percent(r.Refused, r.Requests),
		plural(r.CallersRefused, "caller"), percent(r.CallersRefused, r.Callers))
	var notes []string
	for _, f := range r.Files {
		if f.Error != "" {
			notes = append(notes, fmt.Sprintf("%s was not read to its end: %s", f.Name, f.Error))
		}
	}
	if r.Rejoined > 0 {
		notes = append(notes, plural(r.Rejoined, "line")+" put behind the one before, to which it belongs")
	}
	if r.Unparsed > 0 {
		notes = append(notes, plural(r.Unparsed, "line")+" not understood, see below")
	}
	if r.Late > 0 {
		notes = append(notes, plural(r.Late, "request")+" too far out of order to sort, decided later than they came")
	}
	for _, d := range r.Denied {
		notes = append(notes, fmt.Sprintf("%s denied without a limit: %s", plural(d.Requests, "request"), d.Why))
	}
	for _, note := range notes {
		fmt.Fprintf(b, "  %s\n", note)
	}
}

func (r *Report) limitTable(b *strings.Builder) {
	t := table{left: 2}
	t.row("layer", "limit", "requests", "refused", "", "callers", "refused", "")
	for i := range r.Layers {
		l := &r.Layers[i]
		if l.Limit == "" {
			t.row(l.Layer, "no request met it")
			continue
		}
		t.row(l.Layer, l.label(), number(l.Requests), number(l.Refused), percent(l.Refused, l.Requests),
			number(l.Callers), number(l.CallersRefused), percent(l.CallersRefused, l.Callers))
	}
	b.WriteString("\nWhat each limit refused\n")
	t.write(b)
}

// label is the limit, behind its route or a name that somebody gave it.
func (l *Limit) label() string {
	_, period, _ := strings.Cut(l.period(), "/")
	name := strings.TrimSuffix(l.Name, "#"+period)
	label := l.Limit
	if name != "default" && name != period {
		label = beginning(name, 40) + " " + label
	}
	if l.Mode == "shadow" {
		label += " (shadow)"
	}
	return label
}

// period is "/min" of 60/min.
func (l *Limit) period() string {
	period, _, _ := strings.Cut(l.per, " ")
	return period
}

func (r *Report) suggestions(b *strings.Builder) {
	callers, requests := table{left: 2}, table{left: 2}
	head := []string{"layer", "limit"}
	for _, share := range shares {
		head = append(head, share.name)
	}
	callers.row(head...)
	requests.row(head...)
	for i := range r.Layers {
		l := &r.Layers[i]
		if len(l.Ladder) == 0 {
			continue
		}
		callers.row(append([]string{l.Layer, l.label()}, l.counts(l.Suggest)...)...)
		requests.row(append([]string{l.Layer, l.label()}, l.counts(l.SuggestRequests)...)...)
	}
	if len(callers.rows) == 1 {
		return
	}
	b.WriteString("\nThe lowest limit that by itself refuses anything to at most this share of its callers\n")
	callers.write(b)
	b.WriteString("\nThe lowest round limit that by itself refuses at most this share of its requests\n")
	requests.write(b)
	r.examples(b)
}

// maxExamples is how many limits are shown at other counts: a policy may have
// hundreds of routes.
const maxExamples = 12

func (r *Report) examples(b *strings.Builder) {
	var most []*Limit
	for i := range r.Layers {
		if len(r.Layers[i].Ladder) > 0 {
			most = append(most, &r.Layers[i])
		}
	}
	b.WriteString("\nAt other limits")
	if len(most) > maxExamples {
		kept := slices.Clone(most)
		slices.SortStableFunc(kept, func(a, b *Limit) int { return cmp.Compare(b.Requests, a.Requests) })
		kept = kept[:maxExamples]
		most = slices.DeleteFunc(most, func(l *Limit) bool { return !slices.Contains(kept, l) })
		fmt.Fprintf(b, ", for the %d with the most requests (--json and --html have all)", maxExamples)
	}
	b.WriteString("\n")
	for _, l := range most {
		l.examples(b)
	}
}

func (l *Limit) counts(s Shares) (texts []string) {
	for _, n := range s {
		if n == noCount {
			texts = append(texts, "none")
			continue
		}
		texts = append(texts, countText(n)+l.period())
	}
	return texts
}

// examples are what the limit refuses at its own count, and at the round ones
// where the shares of callers and of requests lie.
func (l *Limit) examples(b *strings.Builder) {
	if len(l.Ladder) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s %s\n", l.Layer, l.label())
	t := table{left: 1}
	for i, s := range l.Ladder {
		if !l.telling(i) {
			continue
		}
		t.row("  at "+countText(s.Count)+l.period()+":", number(s.CallersRefused), "of "+plural(l.Callers, "caller"),
			"("+percent(s.CallersRefused, l.Callers)+")", "and "+percent(s.Refused, l.Requests), "of requests")
	}
	t.write(b)
}

// telling reports whether a step is the own count's, or the lowest that is at
// least one of those suggested.
func (l *Limit) telling(i int) bool {
	below := int64(0)
	if i > 0 {
		below = l.Ladder[i-1].Count
	}
	count := l.Ladder[i].Count
	if count == l.count {
		return true
	}
	for _, suggested := range [...]Shares{l.Suggest, l.SuggestRequests} {
		for _, n := range suggested {
			if below < n && n <= count {
				return true
			}
		}
	}
	return false
}

func (r *Report) refusals(b *strings.Builder) {
	if r.Refused == 0 {
		return
	}
	callers, routes, minutes := table{left: 1}, table{left: 1}, table{left: 1}
	callers.row("most refused callers", "refused", "requests")
	for _, c := range r.TopRefused {
		callers.row(c.Caller, number(c.Refused), number(c.Requests))
	}
	routes.row("most refused routes", "refused")
	for _, route := range r.TopRoutes {
		count := number(route.Refused)
		if route.Over > 0 {
			count = "about " + count
		}
		routes.row(beginning(route.Route, 80), count)
	}
	minutes.row("most refused minutes", "refused", "requests")
	for _, m := range r.TopMinutes {
		minutes.row(m.Start.Format("2006-01-02 15:04"), number(m.Refused), number(m.Requests))
	}
	for _, t := range []table{callers, routes, minutes} {
		b.WriteByte('\n')
		t.write(b)
	}
}

func (r *Report) peakLine(b *strings.Builder) {
	p := &r.Peaks
	fmt.Fprintf(b, "\nA caller's busiest minute: half of them at most %s, 90%% %s, 99%% %s, 99.9%% %s, the busiest %s\n",
		number(p.P50), number(p.P90), number(p.P99), number(p.P999), number(p.Max))
}

func (r *Report) brokenLines(b *strings.Builder) {
	if len(r.BrokenLines) == 0 {
		return
	}
	b.WriteString("\nLines not understood, the first of each log\n")
	for _, l := range r.BrokenLines {
		fmt.Fprintf(b, "  %s:%d: %s\n", l.File, l.Number, l.Text)
	}
}

// table aligns columns: the first few to the left, the others to the right.
type table struct {
	left int
	rows [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(b *strings.Builder) {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i < t.left {
				line.WriteString("  " + cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// number is 10,479.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// percent is a share with one digit, and never 0.0% or 100.0% for what is a
// little more or less.
func percent(part, whole int64) string {
	if whole == 0 {
		return "0.0%"
	}
	tenths := (part*2000 + whole) / (2 * whole)
	switch {
	case part > 0 && tenths == 0:
		return "<0.1%"
	case part < whole && tenths == 1000:
		tenths = 999
	}
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}
