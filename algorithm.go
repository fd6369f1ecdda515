package weir

import (
	"fmt"
	"strings"

	"github.com/weirhq/weir/internal/algorithm"
)

// Algorithm is the rule by which a limit admits requests. The zero value is
// [GCRA], the default. docs/algorithms has a page on each.
type Algorithm uint8

const (
	// GCRA, the generic cell rate algorithm (ITU-T I.371), admits Burst
	// requests at one instant from idle and then one per Period/Count. A burst
	// of 1 is strict pacing. It admits the same sequences as [TokenBucket].
	GCRA Algorithm = iota
	// TokenBucket holds up to Burst tokens, refilled continuously at
	// Count/Period; a request takes its cost in tokens.
	TokenBucket
	// FixedWindow counts requests in windows aligned to the Unix epoch. Around
	// a window's end up to twice Count pass within one Period.
	FixedWindow
	// SlidingLog remembers every admitted request: at most Count in any Period.
	// Exact; its memory grows with what it admits.
	SlidingLog
	// SlidingCounter weighs the previous window by how much of it the sliding
	// window still covers. It reads closest to "Count per Period" at constant
	// memory.
	SlidingCounter
)

// algorithms is indexed by Algorithm.
var algorithms = [...]struct {
	name string
	kind algorithm.Kind
}{
	GCRA:           {"gcra", algorithm.GCRA},
	TokenBucket:    {"token-bucket", algorithm.TokenBucket},
	FixedWindow:    {"fixed-window", algorithm.FixedWindow},
	SlidingLog:     {"sliding-log", algorithm.SlidingLog},
	SlidingCounter: {"sliding-counter", algorithm.SlidingCounter},
}

// Algorithms lists the five, the default first.
func Algorithms() []Algorithm {
	return []Algorithm{GCRA, TokenBucket, FixedWindow, SlidingLog, SlidingCounter}
}

// String is the name used in configuration, such as "sliding-counter".
func (a Algorithm) String() string {
	if int(a) >= len(algorithms) {
		return fmt.Sprintf("Algorithm(%d)", uint8(a))
	}
	return algorithms[a].name
}

// ParseAlgorithm is the inverse of [Algorithm.String]. The error lists the names.
func ParseAlgorithm(name string) (Algorithm, error) {
	for a := range algorithms {
		if algorithms[a].name == name {
			return Algorithm(a), nil
		}
	}
	names := make([]string, len(algorithms))
	for a := range algorithms {
		names[a] = algorithms[a].name
	}
	return 0, fmt.Errorf("weir: unknown algorithm %q; known are %s", name, strings.Join(names, ", "))
}

// HasBurst reports whether a limit of this algorithm takes a burst.
func (a Algorithm) HasBurst() bool { return a == GCRA || a == TokenBucket }
