package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirhq/weir/bench/turns"
)

// The document and its charts are what the results say.
func TestDocs(t *testing.T) {
	text, charts, err := render(filepath.Join("..", "results"))
	if err != nil {
		t.Fatal(err)
	}
	docs := filepath.Join("..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	if next, err := replace(string(page), text); err != nil || next != string(page) {
		t.Errorf("docs/performance.md is not of the last results: go -C bench run ./report (%v)", err)
	}
	for name, svg := range charts {
		if have, err := os.ReadFile(filepath.Join(docs, "images", name)); err != nil || string(have) != svg {
			t.Errorf("docs/images/%s is not of the last results: %v", name, err)
		}
	}
}

// Every aim and every table is of something that was measured.
func TestNothingIsMissing(t *testing.T) {
	for _, s := range sections {
		r, _, _, err := last(filepath.Join("..", "results"), s.program)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range s.aims {
			if measured, _ := a.judge(r); measured == "not measured" {
				t.Errorf("%s: %s", a.text, measured)
			}
		}
		for _, c := range s.contests {
			for _, column := range c.columns {
				if _, ok := r.Of(c.name, "weir", column[0]); !ok {
					t.Errorf("%s has no %s", c.name, column[0])
				}
			}
		}
	}
}

func results(t *testing.T, text string) turns.Results {
	t.Helper()
	r, _, err := turns.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAims(t *testing.T) {
	r := results(t, "turn 1  work  weir  300 calls/s  20 ns\nturn 1  work  other  100 calls/s  10 ns\n")
	for _, c := range []struct {
		aim  aim
		want string
	}{
		{aim{contest: "work", one: "weir", other: "other", unit: "calls/s", want: 3}, "yes"},
		{aim{contest: "work", one: "weir", other: "other", unit: "calls/s", want: 3.1}, "no"},
		{aim{contest: "work", one: "weir", other: "other", unit: "ns", want: 0.6}, "no"},
		{aim{contest: "work", one: "weir", other: "other", unit: "ns", want: 2, most: true}, "yes"},
		{aim{contest: "work", one: "weir", other: "other", unit: "ns", want: 1.9, most: true}, "no"},
		{aim{contest: "work", one: "weir", unit: "ns", want: 20, most: true, absolute: true}, "yes"},
		{aim{contest: "work", one: "weir", unit: "ns", want: 19, most: true, absolute: true}, "no"},
		{aim{contest: "work", one: "nobody", unit: "ns", want: 1, absolute: true}, "-"},
	} {
		if measured, met := c.aim.judge(r); met != c.want {
			t.Errorf("%+v: %s, %s", c.aim, measured, met)
		}
	}
}

func TestReplaceLeavesTheRest(t *testing.T) {
	got, err := replace("before\n"+begin+"old\n"+end+"after\n", "new\n")
	if err != nil || got != "before\n"+begin+"\nnew\n\n"+end+"after\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := replace("no marks", "new"); err == nil {
		t.Error("a page without marks is replaced")
	}
}

func TestChartsAreXML(t *testing.T) {
	svg := chartOf(`a <b> & "c"`, "calls/s", []bar{{"weir", turns.Spread{Median: 2, Least: 1, Most: 3}}, {"none", turns.Spread{}}})
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.1234: "0.123", 51.23: "51.2", 1234: "1,234", 1234567: "1,234,567"} {
		if got := number(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}
