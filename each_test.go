package weir_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// shared is a store that is not in this process, as far as TakeEach knows: it
// notes the calls it gets, and fails one.
type shared struct {
	weir.Store
	calls []int
	fails int // from 1; 0 for none
}

var errAway = errors.New("away")

func (s *shared) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	s.calls = append(s.calls, len(checks))
	if len(s.calls) == s.fails {
		return errAway
	}
	return s.Store.Take(ctx, checks, results)
}

func perDay(t *testing.T, count int64) *weir.Limit {
	t.Helper()
	limit, err := weir.NewLimit(weir.PerDay(count))
	if err != nil {
		t.Fatal(err)
	}
	return limit
}

// A pipeline is one call of the store, and tells each check as it left its key. A
// key that comes under a second limit begins another call; what was decided before
// one that fails stays decided.
func TestTakeEach(t *testing.T) {
	ten, twenty := perDay(t, 10), perDay(t, 20)
	take := func(identity string, limit *weir.Limit, n int64) weir.Check {
		return weir.Check{Key: weir.Key{Layer: "each", Limit: "day", Identity: identity}, Limit: limit, Cost: n}
	}
	pipeline := []weir.Check{take("a", ten, 6), take("b", ten, 1), take("a", ten, 6), take("a", ten, 0), take("a", ten, 4), take("a", twenty, 3), take("b", ten, 1)}
	left := []int64{4, 9, 4, 4, 0, 7, 8}
	for _, c := range []struct {
		name    string
		shared  bool
		fails   int
		decided int
		calls   []int
	}{
		{"shared", true, 0, 7, []int{5, 2}},
		{"shared, the second call fails", true, 2, 5, []int{5, 2}},
		{"shared, the first call fails", true, 1, 0, []int{5}},
		{"in memory", false, 0, 7, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			memory := weir.NewMemoryStore(weir.MemoryOptions{})
			defer memory.Close()
			remote := &shared{Store: memory, fails: c.fails}
			var store weir.Store = memory
			if c.shared {
				store = remote
			}
			checks, results := append([]weir.Check(nil), pipeline...), make([]weir.Result, len(pipeline))
			n, err := weir.TakeEach(t.Context(), store, checks, results)
			if n != c.decided || (err != nil) != (n < len(checks)) || err != nil && !errors.Is(err, errAway) {
				t.Fatalf("%d decided, %v", n, err)
			}
			for i, r := range results[:n] {
				if r.Remaining != left[i] || r.Allowed != (i != 2) {
					t.Errorf("%d: %+v, want %d left", i, r, left[i])
				}
			}
			if !slices.Equal(remote.calls, c.calls) {
				t.Errorf("calls of %v, want %v", remote.calls, c.calls)
			}
		})
	}
}

// Checks of keys that are there are decided at one instant, by one look at the clock.
func TestTakeEachReadsTheClockOnce(t *testing.T) {
	reads, now := 0, int64(1_700_000_000_000_000)
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time {
		reads++
		now++
		return time.UnixMicro(now)
	}})
	defer store.Close()
	limit, results := perDay(t, 1000), make([]weir.Result, 20)
	checks := make([]weir.Check, len(results))
	for i := range checks {
		checks[i] = weir.Check{Key: weir.Key{Identity: string(rune('a' + i))}, Limit: limit, Cost: 1}
	}
	for range 2 { // the first time the keys are new
		reads = 0
		if n, err := weir.TakeEach(t.Context(), store, checks, results); n != len(checks) || err != nil {
			t.Fatal(n, err)
		}
	}
	for i := range results {
		if results[i].At != results[0].At || reads != 1 {
			t.Errorf("check %d is decided at %d and the first at %d; the clock is read %d times", i, results[i].At, results[0].At, reads)
		}
	}
}

// One bad check gets none of the others refused that came before it.
func TestTakeEachStopsAtABadCheck(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	checks := []weir.Check{{Limit: perDay(t, 1), Cost: 1}, {Cost: 1}}
	if n, err := weir.TakeEach(t.Context(), store, checks, make([]weir.Result, 2)); n != 1 || !errors.Is(err, weir.ErrNoLimit) {
		t.Errorf("%d, %v", n, err)
	}
}

// More checks than are looked up ahead at a time are decided in order up to the first
// that makes no sense.
func TestTakeEachUpToAnError(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	limit := perDay(t, 1000)
	for _, wrong := range []int{0, 1, 31, 32, 50, 99} {
		checks, results := make([]weir.Check, 100), make([]weir.Result, 100)
		for i := range checks {
			checks[i] = weir.Check{Key: weir.Key{Layer: "each", Limit: "day", Identity: string(rune('A' + wrong))}, Limit: limit, Cost: 1}
		}
		checks[wrong].Cost = -1
		n, err := weir.TakeEach(t.Context(), store, checks, results)
		if n != wrong || !errors.Is(err, weir.ErrNegativeCost) {
			t.Errorf("%d are decided before the wrong one at %d: %v", n, wrong, err)
		}
		for i := range n {
			if left := int64(1000 - 1 - i); !results[i].Charged || results[i].Remaining != left {
				t.Errorf("check %d of %d leaves %d, want %d", i, wrong, results[i].Remaining, left)
			}
		}
	}
}
