package storetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// randomness is the same in each run, so that a failure is there again, or as
// WEIR_SEED says. Under WEIR_SOAK each run has a new one; a test that fails says
// which.
func randomness(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if given, err := strconv.ParseUint(os.Getenv("WEIR_SEED"), 10, 64); err == nil {
		seed = given
	} else if os.Getenv("WEIR_SOAK") != "" {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to see it again: WEIR_SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// rounds is n, and many more in a soak.
func rounds(n int) int {
	if os.Getenv("WEIR_SOAK") != "" {
		return 20 * n
	}
	return n
}
