package turns_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weirhq/weir/bench/turns"
)

// scripted is a contender that measures the given values, one a turn, and notes that
// it had its turn.
func scripted(name string, order *[]string, unit string, values ...float64) turns.Contender {
	return turns.Contender{Name: name, Turn: func() ([]turns.Figure, error) {
		*order = append(*order, name)
		v := values[0]
		values = values[1:]
		return []turns.Figure{{Value: v, Unit: unit}, {Value: 1, Unit: "allocs"}}, nil
	}}
}

func TestContendersTakeTurns(t *testing.T) {
	var order []string
	var out strings.Builder
	all, err := turns.Run(&out, 2, turns.Contest{Name: "work", Contenders: []turns.Contender{
		scripted("a", &order, "ns", 1, 2), scripted("b", &order, "ns", 3, 4), scripted("c", &order, "ns", 5, 6),
	}})
	if err != nil || !slices.Equal(order, []string{"a", "b", "c", "b", "c", "a"}) {
		t.Errorf("%v, %v", order, err)
	}
	read, _, err := turns.Read(strings.NewReader("a machine\n\n" + out.String() + "\nwork, ns: a summary of 2 ns\n"))
	if err != nil || len(read) != len(all) {
		t.Fatalf("%d turns of %d are read again: %v", len(read), len(all), err)
	}
	for i := range all {
		if read[i].String() != all[i].String() {
			t.Errorf("%q is read as %q", all[i], read[i])
		}
	}
}

// Ratios are of figures of the same round, and above 1 where the first is better.
func TestRatios(t *testing.T) {
	for _, c := range []struct {
		unit string
		want turns.Spread
	}{
		{"ns", turns.Spread{Median: 4, Least: 2, Most: 10, Rounds: 3}},
		{"calls/s", turns.Spread{Median: 0.25, Least: 0.1, Most: 0.5, Rounds: 3}},
	} {
		var order []string
		all, err := turns.Run(&strings.Builder{}, 3, turns.Contest{Name: "work", Contenders: []turns.Contender{
			scripted("a", &order, c.unit, 1, 10, 100), scripted("b", &order, c.unit, 10, 20, 400),
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := all.Ratio("work", "a", "b", c.unit); !ok || got != c.want {
			t.Errorf("%s: %v, want %v", c.unit, got, c.want)
		}
		if _, ok := all.Ratio("work", "a", "nobody", c.unit); ok {
			t.Error("a ratio to nobody")
		}
	}
}

func TestAnErrorEndsTheRun(t *testing.T) {
	failed := errors.New("set-up")
	_, err := turns.Run(&strings.Builder{}, 9, turns.Contest{Name: "work", Contenders: []turns.Contender{
		{Name: "a", Turn: func() ([]turns.Figure, error) { return nil, failed }},
	}})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
}

func TestOtherLinesAreNoTurns(t *testing.T) {
	for _, line := range []string{"", "turn", "turn x  work  a  1 ns", "turn 1  work  a", "turn 1  work  a  fast ns", "turn 1  work  a  1 ns 2", "version a b c d 1"} {
		if turn, ok := turns.Parse(line); ok {
			t.Errorf("%q is %v", line, turn)
		}
	}
}
