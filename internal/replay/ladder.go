package replay

import (
	"slices"

	"github.com/weirhq/weir/internal/algorithm"
)

const (
	ladderTop = 1_000_000
	// logTop ends the ladder of a sliding log, each of whose steps remembers as
	// many requests as its count.
	logTop = 2_000
)

// round are the counts between 10 and 100 that people write into configurations.
var round = []int64{10, 12, 15, 20, 25, 30, 40, 50, 60, 80}

// ladder is the limit at other counts: round ones, and its own.
func ladder(l *algorithm.Limit) []algorithm.Limit {
	counts := []int64{1, 2, 3, 4, 5, 6, 8, l.Count}
	top := int64(ladderTop)
	if l.Kind == algorithm.SlidingLog {
		top = logTop
	}
	for scale := int64(1); scale <= top; scale *= 10 {
		for _, n := range round {
			if n*scale <= top {
				counts = append(counts, n*scale)
			}
		}
	}
	slices.Sort(counts)
	var limits []algorithm.Limit
	for _, n := range slices.Compact(counts) {
		if at, err := atCount(l, n); err == nil {
			limits = append(limits, at)
		}
	}
	return limits
}

// atCount is the limit with another count.
func atCount(l *algorithm.Limit, n int64) (algorithm.Limit, error) {
	at, err := algorithm.Compile(l.Kind, n, l.Period, burstAt(l, n))
	at.CountAll = l.CountAll
	return at, err
}

// burstAt is the capacity at another count, as Compile takes it.
func burstAt(l *algorithm.Limit, n int64) int64 {
	if !isBucket(l.Kind) {
		return 0
	}
	if l.Burst == l.Count {
		return n
	}
	return l.Burst
}

func isBucket(k algorithm.Kind) bool { return k == algorithm.GCRA || k == algorithm.TokenBucket }
