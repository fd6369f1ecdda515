package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weirhq/weir/bench/chart"
	"github.com/weirhq/weir/bench/turns"
)

// draw writes the charts and the tables of a result into the documentation.
func draw(result, docs string) error {
	in, err := os.Open(result)
	if err != nil {
		return err
	}
	defer in.Close()
	all, heading, err := turns.Read(in)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		if err := p.write(all, filepath.Join(docs, "images", p.file)); err != nil {
			return err
		}
	}
	page := &page{result: filepath.Base(result), heading: heading, Results: all}
	return page.write(filepath.Join(docs, "scaling.md"))
}

type picture struct {
	file, title, x, y string
	lines             []line
}

// line is a kind of a contest, by one of its figures or by what is computed of them.
type line struct{ name, contest, kind, unit string }

// filling is not measured but computed, see fills.
const filling = "filling/s"

var pictures = []picture{
	{"growth-keys.svg", "A decision in memory, as keys grow", "keys", "ns of a processor", []line{
		{"GCRA", "keys-memory", "gcra", "cpu-ns"}, {"sliding counter", "keys-memory", "sliding-counter", "cpu-ns"},
	}},
	{"growth-bytes.svg", "Memory of a key, as keys grow", "keys", "bytes a key", []line{
		{"GCRA", "keys-memory", "gcra", "bytes"}, {"counter", "keys-memory", "sliding-counter", "bytes"},
		{"GCRA, Redis", "keys-redis", "gcra", "used-bytes"}, {"counter, Redis", "keys-redis", "sliding-counter", "used-bytes"},
	}},
	{"growth-gc.svg", "A forced garbage collection, as keys grow", "keys", "ms", []line{
		{"GCRA", "keys-memory", "gcra", "gc-ms"}, {"sliding counter", "keys-memory", "sliding-counter", "gc-ms"},
	}},
	{"growth-layers.svg", "A request of several layers", "layers, decided in one call", "µs of a processor", []line{
		{"memory, GCRA", "layers-memory", "gcra", "cpu-ns"}, {"memory, counter", "layers-memory", "sliding-counter", "cpu-ns"},
		{"Redis, GCRA", "layers-redis", "gcra", "redis-cpu-µs"}, {"Redis, counter", "layers-redis", "sliding-counter", "redis-cpu-µs"},
	}},
	{"growth-log-bytes.svg", "Memory of a sliding log that is full", "limit", "bytes", []line{
		{"memory", "log-memory", "log", "bytes"}, {"Redis", "log-redis", "log", "bytes"},
	}},
	{"growth-log-time.svg", "A decision by a sliding log that is full", "limit", "µs", []line{
		{"memory, admitted", "log-memory", "log", "admitted-cpu-ns"}, {"refused", "log-memory", "log", "refused-cpu-ns"},
		{"Redis, admitted", "log-redis", "log", "admitted-µs"}, {"refused", "log-redis", "log", "refused-µs"},
	}},
	{"growth-callers.svg", "Decisions as callers grow", "callers of one process", "decisions/s", []line{
		{"many keys", "callers-redis", "gcra", "decisions/s"},
		{"one key: a call each", "callers-hot", "call-each", "decisions/s"},
		{"shared", "callers-hot", "shared", "decisions/s"},
		{"leased", "callers-hot", "leased", "decisions/s"},
		{"deny cache", "callers-hot", "deny-cache", "decisions/s"},
	}},
	{"growth-cpu.svg", "Processor time of Redis for a decision of one key", "callers of one process", "µs", []line{
		{"a call each", "callers-hot", "call-each", "redis-cpu-µs"}, {"shared", "callers-hot", "shared", "redis-cpu-µs"},
	}},
	{"growth-processes.svg", "Processor time of a decision, as processes on one Redis grow", "processes", "µs of a processor", []line{
		{"Redis", "processes-redis", "gcra", "redis-cpu-µs"}, {"the callers", "processes-redis", "gcra", "cpu-µs"},
	}},
	{"growth-masters.svg", "Decisions of a cluster", "masters", "decisions/s", []line{
		{"if each had a core", "masters-redis", "gcra", filling}, {"measured, all on two cores", "masters-redis", "gcra", "decisions/s"},
	}},
}

func (p picture) write(all turns.Results, file string) error {
	c := chart.Chart{Title: p.title, X: p.x, Y: p.y}
	for _, l := range p.lines {
		points, err := l.points(all, p.y)
		if err != nil {
			return err
		}
		for _, point := range points {
			if c.Ticks = append(c.Ticks, point.X); p.x == "keys" || p.x == "limit" {
				c.Ticks = nil // powers of ten
			}
		}
		c.Lines = append(c.Lines, chart.Line{Name: l.name, Points: points})
	}
	slices.Sort(c.Ticks)
	c.Ticks = slices.Compact(c.Ticks)
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(c.Write(out), out.Close())
}

// byClock are units of which the least of the rounds is shown, see page.byClock.
var byClock = map[string]bool{"gc-ms": true, "admitted-µs": true, "refused-µs": true}

func (l line) points(all turns.Results, y string) (points []chart.Point, err error) {
	scale := 1.0
	if strings.HasPrefix(y, "µs") && strings.HasSuffix(l.unit, "ns") {
		scale = 1000
	}
	for _, n := range numbers(all, l.contest, l.kind) {
		s, ok := l.of(all, name(l.kind, n))
		if !ok {
			return nil, fmt.Errorf("%s of %d has no %s in %s", l.kind, n, l.unit, l.contest)
		}
		point := chart.Point{X: float64(n), Y: s.Median / scale, Least: s.Least / scale, Most: s.Most / scale}
		if byClock[l.unit] {
			point = chart.Point{X: float64(n), Y: s.Least / scale}
		}
		points = append(points, point)
	}
	return points, nil
}

func (l line) of(all turns.Results, contender string) (turns.Spread, bool) {
	if l.unit != filling {
		return all.Of(l.contest, contender, l.unit)
	}
	cpu, _ := all.Of(l.contest, contender, "redis-cpu-µs")
	busiest, ok := all.Of(l.contest, contender, "busiest")
	return turns.Spread{Median: fills(cpu.Median, busiest.Median)}, ok
}

// fills is how many decisions a second fill the core of the busiest master, if a
// decision takes so many µs of all of them and it has that part.
func fills(µs, part float64) float64 { return 1e6 / (µs * part) }

func name(kind string, n int) string { return fmt.Sprintf("%s/%d", kind, n) }

// numbers are those at which a kind was measured, in order.
func numbers(all turns.Results, contest, kind string) (found []int) {
	for _, contender := range all.Contenders(contest) {
		if text, ok := strings.CutPrefix(contender, kind+"/"); ok {
			if n, err := strconv.Atoi(text); err == nil {
				found = append(found, n)
			}
		}
	}
	slices.SortFunc(found, cmp.Compare)
	return found
}
