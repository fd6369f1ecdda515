package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/weirhq/weir/bench/chart"
)

// What is drawn is well-formed, holds all that it was given, and asks nobody for a
// font.
func TestCharts(t *testing.T) {
	c := chart.Chart{Title: `a < "b" & c`, X: "keys", Y: "ns", Lines: []chart.Line{
		{Name: "one", Points: []chart.Point{{X: 1000, Y: 50, Least: 5, Most: 70000}, {X: 1e7, Y: 200}}},
		{Name: "two", Points: []chart.Point{{X: 1000, Y: 900}}},
	}}
	var out strings.Builder
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, &out)
		}
	}
	for _, want := range []string{">keys<", ">ns<", ">one<", ">two<", ">1000<", ">10M<", "a &lt; &#34;b&#34; &amp; c", "prefers-color-scheme: dark"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
	if n := strings.Count(out.String(), "<circle"); n != 3 {
		t.Errorf("%d points of 3", n)
	}
	for _, no := range []string{"NaN", "Inf", "url(", "@import"} {
		if strings.Contains(out.String(), no) {
			t.Errorf("%s in\n%s", no, &out)
		}
	}
}

// What grows by the same factor is drawn at the same distance, larger is higher up
// and further right, and all is within the frame.
func TestPlacesAreLogarithmic(t *testing.T) {
	c := chart.Chart{Lines: []chart.Line{{Name: "l", Points: []chart.Point{{X: 1, Y: 1}, {X: 10, Y: 10}, {X: 100, Y: 100}}}}}
	var out strings.Builder
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	var places [3]struct {
		X float64 `xml:"cx,attr"`
		Y float64 `xml:"cy,attr"`
	}
	for i, text := range strings.SplitAfter(out.String(), "<circle")[1:] {
		if err := xml.Unmarshal([]byte("<circle"+text[:strings.Index(text, "/>")+2]), &places[i]); err != nil {
			t.Fatal(err)
		}
	}
	a, b, z := places[0], places[1], places[2]
	if d := (b.X - a.X) - (z.X - b.X); d > 0.2 || d < -0.2 || a.X >= b.X || a.X < 0 || z.X > 720 {
		t.Errorf("x: %v", places)
	}
	if d := (b.Y - a.Y) - (z.Y - b.Y); d > 0.2 || d < -0.2 || a.Y <= b.Y || a.Y > 420 || z.Y < 0 {
		t.Errorf("y: %v", places)
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for name, c := range map[string]chart.Chart{
		"nothing":   {},
		"zero":      {Lines: []chart.Line{{Points: []chart.Point{{X: 1, Y: 0}}}}},
		"below it":  {Lines: []chart.Line{{Points: []chart.Point{{X: -1, Y: 1}}}}},
		"no points": {Lines: []chart.Line{{Name: "empty"}}},
	} {
		if err := c.Write(io.Discard); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
}
