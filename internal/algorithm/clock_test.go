package algorithm_test

// What clocks do over a long time: drift, and step back and forth.

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

func compile(t testing.TB, kind algorithm.Kind, count, period, burst int64) *algorithm.Limit {
	t.Helper()
	l, err := algorithm.Compile(kind, count, period, burst)
	if err != nil {
		t.Fatal(err)
	}
	return &l
}

const second = 1_000_000

// Two nodes whose clocks are a second apart ask in turn, every 50 ms for ten
// minutes. 1/s with a burst of 10 owes 610, or 611 by the faster clock. A bucket
// that sets its instant back and keeps its level hands out a second's worth at
// each turn: 12,010.
func TestAlternatingClocksGainNothing(t *testing.T) {
	for _, kind := range []algorithm.Kind{algorithm.TokenBucket, algorithm.GCRA} {
		l := compile(t, kind, 1, second, 10)
		if got := admittedByTwoClocks(l, newKey(kind), second); got != 610 {
			t.Errorf("%s: %d admitted, not 610", vectors.Name(kind), got)
		}
	}
}

// admittedByTwoClocks counts what passes in ten minutes of a slow clock, which
// is behind by skew.
func admittedByTwoClocks(l *algorithm.Limit, k *key, skew int64) (admitted int) {
	for tick := range int64(12_001) {
		now := vectors.T0 + tick*50_000
		for _, clock := range []int64{now, now - skew} {
			if _, ok := k.take(l, clock, 1); ok {
				admitted++
			}
		}
	}
	return admitted
}

// The windows promise less: one that a step back turned into the current one is
// over at the true boundary. Within a window, and in a log, nothing is gained.
func TestAlternatingClocksWithinAWindow(t *testing.T) {
	for _, c := range []struct {
		kind          algorithm.Kind
		count, period int64
		least, atMost int
	}{
		{algorithm.FixedWindow, 610, 3600 * second, 610, 610},
		{algorithm.SlidingCounter, 610, 3600 * second, 610, 610},
		// 60 a minute for ten minutes, and what the skew brings forward once.
		{algorithm.SlidingLog, 60, 60 * second, 600, 660},
	} {
		l := compile(t, c.kind, c.count, c.period, 0)
		k := newKey(c.kind)
		k.take(l, vectors.T0+second, 0)
		if got := admittedFrom(l, k, vectors.T0+second); got < c.least || got > c.atMost {
			t.Errorf("%s: %d admitted, not %d to %d", vectors.Name(c.kind), got, c.least, c.atMost)
		}
	}
}

func admittedFrom(l *algorithm.Limit, k *key, start int64) (admitted int) {
	for tick := range int64(12_000) {
		for _, clock := range []int64{start + tick*50_000, start + tick*50_000 - second} {
			if _, ok := k.take(l, clock, 1); ok {
				admitted++
			}
		}
	}
	return admitted
}

// 10 per 13 s for a year: after every call of a history that always asks exactly
// when it may, the level is what was admitted less what has leaked, to the
// fraction.
func TestAYearIsExact(t *testing.T) {
	const year = 365 * 24 * 3600 * second
	for _, rate := range []struct{ count, seconds int64 }{{10, 13}, {7, 10}, {999_983, 86400}, {6000, 1}} {
		const burst = 1000
		period := rate.seconds * second
		l := compile(t, algorithm.GCRA, rate.count, period, burst)
		k := newKey(algorithm.GCRA)
		rng := rand.New(rand.NewPCG(*seed, 0))
		k.take(l, vectors.T0, burst)
		now, admitted := vectors.T0, int64(burst)
		step := int64(1)
		if rate.seconds == 1 {
			step = 500 // 6000/s for a whole year is a lot of calls
		}
		for now < vectors.T0+year/step {
			n := 1 + rng.Int64N(burst-1) // a full one would spill the rest of its last µs
			now += k.read(l, now, n).Wait
			if _, ok := k.take(l, now, n); !ok {
				t.Fatalf("%d refused after its wait", n)
			}
			admitted += n
		}
		leaked := big.NewRat((now-vectors.T0)/period*rate.count, 1)
		leaked.Add(leaked, big.NewRat((now-vectors.T0)%period*rate.count, period))
		room := new(big.Rat).Sub(leaked, big.NewRat(admitted-burst, 1))
		if got := k.read(l, now, 1).Remaining; floor(room).Int64() != got {
			t.Errorf("%d per %d s: %d remain, and %s is due", rate.count, rate.seconds, got, room)
		}
	}
}

// The windows have nothing that could drift, and show it for a year of windows
// that start on no whole minute.
func TestAYearOfWindowsIsExact(t *testing.T) {
	for _, kind := range []algorithm.Kind{algorithm.FixedWindow, algorithm.SlidingLog} {
		l := compile(t, kind, 10, 13*second, 0)
		k := newKey(kind)
		start := vectors.T0 - vectors.T0%(13*second)
		for w := range int64(365 * 24 * 3600 / 13) {
			now := start + w*13*second
			if _, ok := k.take(l, now, 10); !ok {
				t.Fatalf("%s: window %d refuses its first call", vectors.Name(kind), w)
			}
			if _, ok := k.take(l, now+13*second-1, 1); ok {
				t.Fatalf("%s: window %d admits an eleventh", vectors.Name(kind), w)
			}
		}
	}
}

// The ends of every range at once, and every step between two such limits, at
// instants around the largest steps: nothing panics in a 128-bit division, and
// the models agree.
func TestEndsOfTheRanges(t *testing.T) {
	for _, kind := range vectors.Kinds() {
		if kind == algorithm.TokenBucket {
			continue // is GCRA, and a walk has both models
		}
		t.Run(vectors.Name(kind), func(t *testing.T) {
			t.Parallel()
			limits := endLimits(kind)
			if len(limits) < 6 {
				t.Fatalf("only %d limits", len(limits))
			}
			for i := range limits {
				for j := range limits {
					playEnds(t, kind, &limits[i], &limits[j])
				}
			}
		})
	}
}

func endLimits(kind algorithm.Kind) (limits []algorithm.Limit) {
	most := mostCount(kind)
	bursts := []int64{0}
	bucket := kind == algorithm.TokenBucket || kind == algorithm.GCRA
	for _, count := range []int64{1, most} {
		for _, period := range []int64{1, algorithm.MaxPeriod - 1, algorithm.MaxPeriod} {
			if bucket {
				bursts = []int64{1, largestBurst(kind, count, period)}
			}
			for _, burst := range bursts {
				if l, err := algorithm.Compile(kind, count, period, burst); err == nil {
					limits = append(limits, l)
				}
			}
		}
	}
	return limits
}

// largestBurst is the largest that Compile accepts, found by asking it.
func largestBurst(kind algorithm.Kind, count, period int64) int64 {
	return last(algorithm.MaxBurst, func(burst int64) bool {
		_, err := algorithm.Compile(kind, count, period, burst)
		return err == nil
	})
}

func playEnds(t *testing.T, kind algorithm.Kind, a, b *algorithm.Limit) {
	base := vectors.T0 / algorithm.MaxPeriod * algorithm.MaxPeriod
	for _, step := range []int64{0, 1, -1, -36000 * second, a.Period, a.Period + b.Period - 1, -base, 1 << 52} {
		w := newWalk(t, kind, &bytes{}, nil)
		w.backward = true
		w.now = base + a.Period - 1
		w.under(*a)
		w.take(1)
		w.take(capacity(a) - 1)
		w.now = max(0, w.now+step)
		w.under(*b)
		w.take(1)
		w.take(capacity(b))
		w.take(capacity(b) + 1)
		w.now += w.last.Reset
		w.under(*a)
		w.take(capacity(a))
		w.refund()
		w.refund()
	}
}

// A clock that steps back gives the window before its weight again. Handed to
// another period on top of a full current one, it does not become more than a
// count can be: no key then waits into a second window.
func TestHandedCountsAreBounded(t *testing.T) {
	const most = algorithm.MaxCounterCount
	short := compile(t, algorithm.SlidingCounter, most, second, 0)
	long := compile(t, algorithm.SlidingCounter, most, 2*second, 0)
	k := newKey(algorithm.SlidingCounter)
	k.take(short, vectors.T0, most)
	if _, admitted := k.take(short, vectors.T0+2*second-1, most-5000); !admitted {
		t.Fatal("set-up: the second window is not filled")
	}
	now := vectors.T0 + second
	k.take(long, now, 1)
	if wait := k.read(long, now, 1).Wait; wait > second+1 {
		t.Errorf("a wait of %d µs, and the window ends in %d", wait, second)
	}
}
