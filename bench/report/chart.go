package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/weirhq/weir/bench/turns"
)

// bar is one contender's.
type bar struct {
	name string
	turns.Spread
}

func barsOf(r turns.Results, contest string) (all []bar) {
	for _, name := range r.Contenders(contest) {
		if s, ok := r.Of(contest, name, r.Unit(contest)); ok {
			all = append(all, bar{name, s})
		}
	}
	return all
}

const (
	lineHeight = 26
	left       = 170 // where bars begin
	widest     = 420 // of a bar
)

// chartOf draws bars from zero to the median, and a thin line from the least to the
// most. It has a background, so that it can be read on dark pages too.
func chartOf(title, unit string, bars []bar) string {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Most)
	}
	height := 44 + lineHeight*len(bars)
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="%d" viewBox="0 0 720 %d" font-family="sans-serif" font-size="13" role="img">`+"\n", height, height)
	fmt.Fprintf(&svg, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&svg, `<rect width="720" height="%d" fill="#ffffff"/>`+"\n", height)
	fmt.Fprintf(&svg, `<text x="12" y="24" font-weight="bold" fill="#1f2933">%s, %s</text>`+"\n", html.EscapeString(title), html.EscapeString(unit))
	for i, b := range bars {
		b.draw(&svg, 40+lineHeight*i, widest/max(most, 1e-9))
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

func (b bar) draw(svg *strings.Builder, y int, scale float64) {
	colour := "#9aa5b1"
	if strings.HasPrefix(b.name, "weir") {
		colour = "#1769aa"
	}
	fmt.Fprintf(svg, `<text x="%d" y="%d" text-anchor="end" fill="#1f2933">%s</text>`, left-8, y+14, html.EscapeString(b.name))
	fmt.Fprintf(svg, `<rect x="%d" y="%d" width="%.1f" height="18" fill="%s"/>`, left, y, b.Median*scale, colour)
	fmt.Fprintf(svg, `<path d="M%.1f %dH%.1f" stroke="#1f2933"/>`, left+b.Least*scale, y+9, left+b.Most*scale)
	fmt.Fprintf(svg, `<text x="%.1f" y="%d" fill="#1f2933">%s</text>`+"\n", left+b.Most*scale+6, y+14, number(b.Median))
}
