package main

import (
	"bytes"
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/weirhq/weir/bench/turns"
)

// Every limiter takes one short turn at every work, and asserts its own set-up.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 1, turn: time.Millisecond, keys: 1000, contests: regexp.MustCompile("."), only: regexp.MustCompile(".")}
	if err := run(s, &out); err != nil {
		t.Fatal(err)
	}
	results, _, err := turns.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if got := results.Contests(); len(got) != len(works) {
		t.Errorf("turns at %v", got)
	}
	for _, w := range works {
		if _, ok := results.Of(w.name, "weir", "decisions/s"); !ok {
			t.Errorf("weir had no turn at %s", w.name)
		}
	}
}

// A limiter that does not limit, or refuses what it should admit, is not measured.
func TestSetUpIsAsserted(t *testing.T) {
	for _, answer := range []bool{true, false} {
		l := take(func(context.Context, string) (bool, error) { return answer, nil })
		if checkLimits(t.Context(), l, "test") == nil {
			t.Errorf("one that always says %v passes for a limiter", answer)
		}
	}
}
