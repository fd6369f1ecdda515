package algorithm

import (
	"math/rand/v2"
	"testing"
)

// randomCompact is a limit with a compact form; most that people write have one.
func randomCompact(r *rand.Rand) Limit {
	for {
		l, err := Compile([]Kind{GCRA, TokenBucket}[r.IntN(2)], 1+r.Int64N(1<<r.IntN(30)), 1+r.Int64N(1<<r.IntN(45)), r.Int64N(1<<r.IntN(20)))
		if err == nil && l.CompactID() != 0 {
			return l
		}
	}
}

// The compact form decides and tells what the state does, over any history of a
// key: takes, peeks, pauses, and all of it at once.
func TestCompactFormIsTheState(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		l := randomCompact(r)
		now := r.Int64N(1 << 51)
		state, tat := State{}, l.tat(now, 0)
		for range 50 {
			now += r.Int64N(1 + l.Period/max(1, r.Int64N(2*l.Count+1)))
			n := r.Int64N(2 + l.Burst + l.Burst/4)
			if r.IntN(2) == 0 {
				n = r.Int64N(3)
			}
			var admitted, compact bool
			state, admitted = l.Take(state, now, n)
			tat, compact = l.TakeTAT(tat, now, n)
			if admitted != compact {
				t.Fatalf("%+v: %d at %d: %t, compact %t", l, n, now, admitted, compact)
			}
			if got, want := l.ReadTAT(tat, now, n), l.Read(state, now, n); got != want {
				t.Fatalf("%+v: after %d at %d: compact %+v, want %+v", l, n, now, got, want)
			}
			if admitted && n > 0 {
				outcome, charge := l.SettleTAT(tat, now, n)
				if wanted := l.Read(state, now, n); outcome != wanted || charge != l.Charged(state, now, n) || l.ChargedTAT(tat, now, n) != charge {
					t.Fatalf("%+v: settling %d at %d: compact %+v %+v, want %+v %+v", l, n, now, outcome, charge, wanted, l.Charged(state, now, n))
				}
			}
			if again, last, ok := l.Contract(state); !state.IsZero() && (!ok || l.Expand(again, last) != state) {
				t.Fatalf("%+v: %+v becomes %+v on the way through its TAT (%t)", l, state, l.Expand(again, last), ok)
			}
		}
	}
}

// A TAT says nothing for many years after it has passed.
func TestCompactFormStaysFresh(t *testing.T) {
	l, err := Compile(GCRA, maxCompactNum*1000+1000, 1_000_003, 10)
	if err != nil || l.Num > maxCompactNum {
		l, err = Compile(GCRA, maxCompactNum, 1_000_003, 10)
	}
	if err != nil || l.CompactID() == 0 {
		t.Fatal(l, err)
	}
	const year = 366 * 24 * 3600 * 1_000_000
	tat, _ := l.TakeTAT(l.tat(1, 0), 1, 10)
	for years := range int64(17) {
		if now := (1 + years) * year; !l.IsFresh(tat, now) {
			t.Errorf("after %d years it has a debt of %d", years+1, l.debt(tat, now))
		}
	}
}

// What has no compact form: rates and bursts whose sums would not fit.
func TestWhoHasACompactForm(t *testing.T) {
	for _, c := range []struct {
		name                 string
		count, period, burst int64
		want                 bool
	}{
		{"60/min", 60, 60_000_000, 0, true},
		{"7/min", 7, 60_000_000, 0, true},
		{"1/400 days", 1, 400 * 24 * 3600 * 1_000_000, 0, true},
		{"1e6/s, burst 1e6", 1_000_000, 1_000_000, 1_000_000, true},
		{"8192 in a prime of µs", 8192, 1_000_003, 0, true},
		{"8193 in a prime of µs", 8193, 1_000_003, 0, false},
		{"999,983/day", 999_983, 24 * 3600 * 1_000_000, 0, false},
		{"a burst of 2^41", 4096, 1_000_003, 1 << 41, false},
	} {
		l, err := Compile(GCRA, c.count, c.period, c.burst)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := l.CompactID() != 0; got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
		again, _ := Compile(TokenBucket, c.count, c.period, c.burst)
		if again.CompactID() != l.CompactID() {
			t.Errorf("%s: numbers %d and %d", c.name, l.CompactID(), again.CompactID())
		}
	}
	window, _ := Compile(FixedWindow, 60, 60_000_000, 0)
	if window.CompactID() != 0 {
		t.Error("a window has a compact form")
	}
}

// What holds more than a full bucket, by however little, has no form: the compact one
// would not be cut to the capacity as the state is.
func TestMoreThanFullHasNoCompactForm(t *testing.T) {
	large, _ := Compile(GCRA, 10, 60_000_000, 10)
	small, _ := Compile(GCRA, 10, 60_000_000, 3)
	for _, c := range []struct {
		whole, frac int64
		want        bool
	}{{3, 0, true}, {2, small.Den - 1, true}, {3, 1, false}, {4, 0, false}} {
		if _, _, ok := small.Contract(large.Filled(1, c.whole, c.frac)); ok != c.want {
			t.Errorf("%d and %d parts of 3: %t, want %t", c.whole, c.frac, ok, c.want)
		}
	}
}
