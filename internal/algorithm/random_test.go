package algorithm_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

var (
	walks = flag.Int("walks", 120, "random histories per algorithm")
	seed  = flag.Uint64("seed", rand.Uint64(), "of the random histories")
)

// Every answer of the code is that of the definitions, in every field, whatever
// the history: limits from one a year to a million a second, prime counts,
// bursts, costs, peeks, refunds, limits that change, clocks that step back, keys
// that are forgotten when they have expired.
func TestRandomHistories(t *testing.T) {
	for i, kind := range vectors.Kinds() {
		t.Run(vectors.Name(kind), func(t *testing.T) {
			t.Parallel()
			t.Logf("-seed %d", *seed)
			seen := tally{}
			for n := range *walks {
				src := generator{rand.New(rand.NewPCG(*seed, uint64(i**walks+n)))}
				newWalk(t, kind, src, &seen).run(100)
			}
			seen.healthy(t, kind)
		})
	}
}

// healthy fails a test that proves little because its histories are dull.
func (seen tally) healthy(t *testing.T, kind algorithm.Kind) {
	t.Logf("%v", seen)
	takes := seen["admitted"] + seen["refused"]
	for _, verdict := range []string{"admitted", "refused"} {
		if share := float64(seen[verdict]) / float64(takes); share < 0.2 {
			t.Errorf("only %.0f%% of the calls are %s", 100*share, verdict)
		}
	}
	for _, what := range []string{"at a wait", "just before a wait", "at a reset", "at a window's edge", "at expiry", "step back", "above the capacity", "blocked", "forgotten", "returned", "nothing returned"} {
		if seen[what] < takes/500 {
			t.Errorf("%s: only %d times in %d calls", what, seen[what], takes)
		}
	}
}
