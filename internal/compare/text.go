package compare

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// WriteText writes the report for people, in 80 columns.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s through %s\n%s\n\n", plural(r.Requests, "request"), r.Limit, r.Traffic)
	b.WriteString(row("requests", spark(r.Offered, r.tallest())))
	for i := range r.Algorithms {
		r.Algorithms[i].chart(&b, r.tallest())
	}
	b.WriteString(r.axis())
	r.table(&b)
	b.WriteString("\nMost: admitted within any " + period(r.rate.Period) + ", with ! where that is above the limit.\nGap: the shortest time between two admitted.\nBytes: in memory, of one caller who has used the limit up.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// chart draws what was admitted, and below it what was refused.
func (o *Outcomes) chart(b *strings.Builder, tallest int) {
	admitted, refused := make([]int, len(o.Bins)), make([]int, len(o.Bins))
	for i, bin := range o.Bins {
		admitted[i], refused[i] = bin.Admitted, bin.Refused
	}
	b.WriteString("\n")
	b.WriteString(row(o.Name, spark(admitted, tallest)))
	b.WriteString(row("  refused", marks(refused)))
}

func row(name, chart string) string {
	return strings.TrimRight(fmt.Sprintf("%-15s %s", name, chart), " ") + "\n"
}

// tallest is the most requests in a bin: all charts have one scale.
func (r *Report) tallest() (most int) {
	for _, n := range r.Offered {
		most = max(most, n)
	}
	return most
}

var blocks = []rune("▁▂▃▄▅▆▇█")

// spark draws a column for each number; a small one is not nothing.
func spark(numbers []int, tallest int) string {
	var b strings.Builder
	for _, n := range numbers {
		if n == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(blocks[(n*len(blocks)-1)/max(1, tallest)])
	}
	return b.String()
}

// marks shows where there is anything.
func marks(numbers []int) string {
	var b strings.Builder
	for _, n := range numbers {
		if n == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune('×')
	}
	return b.String()
}

// axis names the ends, and the windows of the clock between them.
func (r *Report) axis() string {
	ruler := []rune(strings.Repeat("─", len(r.Offered)))
	span, period := r.To.Sub(r.From), r.rate.Period
	for at := r.From.Truncate(period); !at.After(r.To); at = at.Add(period) {
		if i := int(at.Sub(r.From) * time.Duration(len(ruler)) / span); i >= 0 && i < len(ruler) {
			ruler[i] = '┼'
		}
		if span/period > time.Duration(len(ruler)) {
			break // closer than columns
		}
	}
	from, to := r.From.Format("15:04:05"), r.To.Format("15:04:05")
	middle := strings.Repeat(" ", max(1, len(ruler)-len(from)-len(to)))
	return row("", string(ruler)) + row("", from+middle+to) + "\n"
}

func (r *Report) table(b *strings.Builder) {
	fmt.Fprintf(b, "%-16s %9s %9s %9s %10s %9s\n", "", "admitted", "refused", "most", "gap", "bytes")
	for _, o := range r.Algorithms {
		gap := "-"
		if o.Gap >= 0 {
			gap = o.Gap.Round(time.Microsecond).String()
		}
		fmt.Fprintf(b, "%-16s %9d %9d %9s %10s %9d\n", o.Name, o.Admitted, o.Refused, r.most(o.Most), gap, o.KeyBytes)
	}
}

// most is a number that says when it is above the limit.
func (r *Report) most(n int) string {
	if int64(n) > r.rate.Count {
		return strconv.Itoa(n) + "!"
	}
	return strconv.Itoa(n)
}

// period is 1m0s as minute.
func period(d time.Duration) string {
	switch d {
	case time.Second:
		return "second"
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	}
	return d.String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
