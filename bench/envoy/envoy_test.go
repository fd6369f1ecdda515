package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/bench/noop"
	"github.com/weirhq/weir/bench/turns"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "noop" {
		serveNothing(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// A short run of what is built from this repository: it starts, asserts its own
// set-up, and has figures for all.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 2, turn: 30 * time.Millisecond, warm: time.Millisecond, only: []string{"weir", "noop", "weir-memory"}, callers: []int{4}, descriptors: []int{1, 3}}
	if err := run(s, &out); err != nil {
		t.Fatal(err)
	}
	results, heading, err := turns.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2*2*len(s.only) || len(heading) != 2+len(s.only) {
		t.Errorf("%d turns below\n%s", len(results), strings.Join(heading, "\n"))
	}
	if ratio, ok := results.Ratio("rls-callers-4-descriptors-3", "weir", "noop", "calls/s"); !ok || ratio.Rounds != 2 {
		t.Errorf("no ratio of two rounds, but %v", ratio)
	}
}

func TestUnknownServersAreErrors(t *testing.T) {
	var out bytes.Buffer
	if err := run(settings{rounds: 1, only: []string{"nobody"}}, &out); err == nil {
		t.Error("a server that is not there runs")
	}
}

// An answer without a decision ends the run, rather than to count as fast.
func TestOtherAnswersAreErrors(t *testing.T) {
	good, _ := noop.RLS{}.ShouldRateLimit(t.Context(), request(3))
	if err := check(good, 3); err != nil {
		t.Error(err)
	}
	if check(good, 1) == nil {
		t.Error("three statuses for one descriptor pass")
	}
	good.Statuses[1].CurrentLimit = nil
	if check(good, 3) == nil {
		t.Error("a descriptor without a limit passes")
	}
}
