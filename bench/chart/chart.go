// Package chart draws lines on logarithmic axes as SVG, legible on light and on dark
// paper, with no font of its own.
//
//	c := chart.Chart{Title: "Bytes per key", X: "keys", Y: "bytes", Lines: lines}
//	err := c.Write(file)
//
// What is drawn is bounded by what it is given; text is escaped. A chart without a
// point, or with one that is not above 0, is an error.
package chart

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Chart has both axes logarithmic, so that what grows in proportion is a straight
// line.
type Chart struct {
	Title, X, Y string // what the axes say, with units
	Lines       []Line
	// Ticks are where the x axis has its marks; without them, at powers of 10.
	Ticks []float64
}

// Line is points from left to right.
type Line struct {
	Name   string
	Points []Point
}

// Point has both of its coordinates above 0. Least and Most are drawn as a bar where
// Least is above 0.
type Point struct{ X, Y, Least, Most float64 }

const (
	width, height            = 720, 420
	left, right, top, bottom = 84, 16, 84, 52
)

// The colours are told apart by people who see few of them, too, and stand out on
// white and on black.
var colours = []string{"#0b84d8", "#e0701a", "#1a9e77", "#b65bb0", "#a08000", "#d0435b"}

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8c959f; stroke-opacity: .35 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
`

// Write draws.
func (c *Chart) Write(out io.Writer) error {
	x, y, err := c.scales()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", width, height, width, height, html.EscapeString(c.Title))
	b.WriteString(style)
	text(&b, left, 22, "start", "title", c.Title)
	c.grid(&b, x, y)
	for i, l := range c.Lines {
		l.draw(&b, x, y, colours[i%len(colours)])
	}
	c.legend(&b)
	b.WriteString("</svg>\n")
	_, err = io.WriteString(out, b.String())
	return err
}

// scale maps values to places.
type scale struct {
	least, most float64 // logarithms
	from, to    float64 // places
}

func (s scale) place(v float64) float64 {
	return s.from + (math.Log10(v)-s.least)/(s.most-s.least)*(s.to-s.from)
}

func (c *Chart) scales() (x, y scale, err error) {
	x = scale{math.Inf(1), math.Inf(-1), left + 12, width - right - 12}
	y = scale{math.Inf(1), math.Inf(-1), height - bottom, top}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if !(p.X > 0 && p.Y > 0) {
				return x, y, fmt.Errorf("chart: %s: %v, %v has no place on logarithmic axes", l.Name, p.X, p.Y)
			}
			x.least, x.most = min(x.least, math.Log10(p.X)), max(x.most, math.Log10(p.X))
			y.least, y.most = min(y.least, math.Log10(p.Y)), max(y.most, math.Log10(p.Y))
		}
	}
	if x.least > x.most {
		return x, y, errors.New("chart: nothing to draw")
	}
	if x.least == x.most {
		x.least, x.most = x.least-1, x.most+1
	}
	y.least, y.most = roundDown(y.least), roundUp(y.most)
	if y.most-y.least < 1 { // so that a small change is drawn small
		y.least, y.most = roundDown(y.least-0.5), roundUp(y.most+0.5)
	}
	return x, y, nil
}

// roundDown is the logarithm of the next 1, 2 or 5 times a power of ten below.
func roundDown(v float64) float64 {
	power := math.Floor(v + 1e-9)
	for _, m := range []float64{5, 2} {
		if power+math.Log10(m) <= v+1e-9 {
			return power + math.Log10(m)
		}
	}
	return power
}

// roundUp is that above: the reciprocals of such numbers are such numbers.
func roundUp(v float64) float64 { return -roundDown(-v) }

func (c *Chart) grid(b *strings.Builder, x, y scale) {
	for _, v := range marks(y) {
		at := y.place(v)
		fmt.Fprintf(b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`+"\n", left, at, width-right, at)
		text(b, left-8, at+4, "end", "", Number(v))
	}
	ticks := c.Ticks
	if ticks == nil {
		ticks = powers(x)
	}
	for _, v := range ticks {
		at := x.place(v)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`+"\n", at, top, at, height-bottom)
		text(b, at, height-bottom+18, "middle", "", Number(v))
	}
	text(b, (left+width-right)/2, height-10, "middle", "", c.X)
	text(b, left, 44, "start", "", c.Y)
}

// powers are those of ten within a scale.
func powers(s scale) (all []float64) {
	for e := math.Ceil(s.least - 1e-9); e <= s.most+1e-9; e++ {
		all = append(all, math.Pow(10, e))
	}
	return all
}

// marks are powers of ten and, where those are few, their 2 and 5 times.
func marks(s scale) (all []float64) {
	for e := math.Floor(s.least); e <= s.most; e++ {
		for _, m := range []float64{1, 2, 5} {
			v := math.Log10(m) + e
			if (m == 1 || s.most-s.least <= 2.5) && v >= s.least-1e-9 && v <= s.most+1e-9 {
				all = append(all, m*math.Pow(10, e))
			}
		}
	}
	return all
}

func (l Line) draw(b *strings.Builder, x, y scale, colour string) {
	var path []string
	for _, p := range l.Points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x.place(p.X), y.place(p.Y)))
	}
	fmt.Fprintf(b, `<g stroke="%s" fill="%s"><polyline points="%s" fill="none" stroke-width="2.5"/>`+"\n", colour, colour, strings.Join(path, " "))
	for _, p := range l.Points {
		at := x.place(p.X)
		if p.Least > 0 {
			low, high := math.Max(p.Least, math.Pow(10, y.least)), math.Min(p.Most, math.Pow(10, y.most))
			fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-opacity=".6"/>`, at, y.place(low), at, y.place(high))
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" stroke="none"/>`+"\n", at, y.place(p.Y))
	}
	b.WriteString("</g>\n")
}

// legend stands in a row above the frame.
func (c *Chart) legend(b *strings.Builder) {
	const letter = 7.6 // is wider than most
	at := float64(left)
	for i, l := range c.Lines {
		fmt.Fprintf(b, `<rect x="%.1f" y="58" width="14" height="5" fill="%s"/>`+"\n", at, colours[i%len(colours)])
		text(b, at+20, 66, "start", "", l.Name)
		at += 40 + letter*float64(len([]rune(l.Name)))
	}
}

func text(b *strings.Builder, x, y float64, anchor, class, words string) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, class, html.EscapeString(words))
}

// Number is short, for axes: 0.5, 20, 1000, 10k, 5M.
func Number(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%.3gG", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	return fmt.Sprintf("%.4g", v)
}
