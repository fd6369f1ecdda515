package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/bench/turns"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "turn" {
		child(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// Every limiter takes one short turn at every work, and asserts its own set-up.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 1, fewer: 1, turn: time.Millisecond, keys: 2000, held: 2000, contests: regexp.MustCompile("."), only: regexp.MustCompile(".")}
	if err := run(s, &out); err != nil {
		t.Fatal(err)
	}
	results, _, err := turns.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, w := range works {
		for _, p := range peers {
			if w.suits(p) {
				want++
			}
		}
	}
	if len(results) != want {
		t.Errorf("%d turns, want %d", len(results), want)
	}
}

type never struct{}

func (never) Take(string) bool { return false }

type always struct{}

func (always) Take(string) bool { return true }

// A limiter that does not limit, or refuses what it should admit, is not measured.
func TestSetUpIsAsserted(t *testing.T) {
	for _, l := range []Limiter{never{}, always{}} {
		open := func(quota, int) (Limiter, error) { return l, nil }
		if checkLimits(open) == nil {
			t.Errorf("%T passes for a limiter", l)
		}
	}
	refused := func(quota, int) (Limiter, error) { return never{}, nil }
	if _, err := works[0].measure(refused, task{Turn: time.Millisecond}); err == nil {
		t.Error("refusals are measured as admissions")
	}
	forgetful := func(quota, int) (Limiter, error) { return always{}, nil }
	if _, err := works[0].weighKeys(forgetful, 10, false); err == nil || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("keys that are forgotten are weighed: %v", err)
	}
}
