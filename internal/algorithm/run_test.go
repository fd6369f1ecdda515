package algorithm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// Run refuses what Take refuses one by one, and what is left decides the same.
func TestRunIsTakeForMany(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 2))
	for round := range 20_000 {
		kind := []algorithm.Kind{algorithm.GCRA, algorithm.TokenBucket, algorithm.FixedWindow, algorithm.SlidingCounter}[round%4]
		limit, err := algorithm.Compile(kind, 1+random.Int64N(12), []int64{7, 1_000_000, 7_777_777}[random.IntN(3)], 0)
		if err != nil {
			t.Fatal(err)
		}
		limit.CountAll = kind == algorithm.FixedWindow && random.IntN(2) == 0
		now := 1_700_000_000_000_000 + random.Int64N(limit.Period)
		var alone, run algorithm.State
		for range 4 {
			var calls []algorithm.Calls
			want := int64(0)
			for range random.IntN(6) {
				now += []int64{0, random.Int64N(limit.Period/4 + 1), random.Int64N(3 * limit.Period)}[random.IntN(3)]
				c := algorithm.Calls{At: now, Cost: 1 + random.Int64N(3), Times: 1}
				if random.IntN(2) == 0 {
					c = algorithm.Calls{At: now, Cost: 1, Times: 1 + random.Int64N(9)}
				}
				calls = append(calls, c)
				for range c.Times {
					admitted := false
					if alone, admitted = limit.Take(alone, c.At, c.Cost); !admitted {
						want++
					}
				}
			}
			var refused int64
			if run, refused = limit.Run(run, calls); refused != want {
				t.Fatalf("round %d, %+v: %d are refused, want %d, of %+v", round, limit, refused, want, calls)
			}
			if got, want := limit.Read(run, now, 1), limit.Read(alone, now, 1); got != want {
				t.Fatalf("round %d, %+v: left with %+v, want %+v", round, limit, got, want)
			}
		}
	}
}
