package algorithm_test

import (
	"math"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// FuzzTake reads bytes as a history of one key (see [walk]): limits, instants,
// takes, peeks, refunds. Code and model must agree on all of it.
func FuzzTake(f *testing.F) {
	for kind := range byte(5) {
		f.Add(kind, []byte{})
		f.Add(kind, []byte("a weir is a low dam"))
		f.Add(kind, []byte{
			1, 0, 5, 17, 0, 3, 15, 0, 15, 5, // a limit and a clock that may step back
			0, 0, 5, 0, 0, 0, 9, 12, 3, 0, 9, 1, 5, 7, 2, 8, 1, 4, 4, 5, 3, 3, 0, 1, 2, 4, 1, 0,
			255, 254, 253, 252, 251, 250, 249, 248, 8, 3, 8, 5, 6, 0, 1, 3, 3, 0, 0, 9, 9, 2, 1,
		})
	}
	f.Fuzz(func(t *testing.T, kind byte, history []byte) {
		kinds := vectors.Kinds()
		src := &bytes{history}
		w := newWalk(t, kinds[int(kind)%len(kinds)], src, nil)
		for range 100 {
			if len(src.rest) == 0 {
				return
			}
			w.step()
		}
	})
}

// FuzzPair takes twice, under two limits and at any two instants: the arithmetic
// at its edges, which a history reaches rarely.
func FuzzPair(f *testing.F) {
	f.Add(byte(0), int64(100), int64(60*second), int64(20), int64(10), int64(60*second), int64(5), int64(20), int64(3*second), int64(1))
	f.Add(byte(1), algorithm.MaxBucketCount, algorithm.MaxPeriod, algorithm.MaxBurst, int64(1), int64(1), int64(1), algorithm.MaxBurst, int64(-1), int64(1))
	f.Add(byte(2), int64(1)<<53, int64(1), int64(0), int64(1)<<53, int64(2), int64(0), int64(1)<<52, int64(1), int64(math.MaxInt64))
	f.Add(byte(3), algorithm.MaxLogCount, int64(10), int64(0), int64(1), int64(100), int64(0), int64(7), int64(9), int64(1))
	f.Add(byte(4), algorithm.MaxCounterCount, algorithm.MaxPeriod, int64(0), algorithm.MaxCounterCount, algorithm.MaxPeriod-1, int64(0), int64(1)<<32, int64(-5), int64(1)<<31)
	f.Fuzz(func(t *testing.T, kind byte, count1, period1, burst1, count2, period2, burst2, n1, step, n2 int64) {
		k := vectors.Kinds()[int(kind)%5]
		first, err1 := algorithm.Compile(k, count1, period1, burst1)
		second, err2 := algorithm.Compile(k, count2, period2, burst2)
		if err1 != nil || err2 != nil || n1 < 0 || n2 < 0 || step > 1<<52 || step < -1<<52 {
			return
		}
		w := newWalk(t, k, &bytes{}, nil)
		w.under(first)
		w.take(n1)
		w.now = max(0, w.now+step)
		w.under(second)
		w.take(n2)
		w.refund()
		w.take(n1)
	})
}

// FuzzCompile: whatever is asked for is either exact or refused with its range.
func FuzzCompile(f *testing.F) {
	f.Add(byte(0), int64(100), int64(60*second), int64(20))
	f.Add(byte(2), int64(1)<<53, int64(1), int64(0))
	f.Add(byte(1), int64(2), int64(22906579627), int64(786429))
	f.Fuzz(func(t *testing.T, kind byte, count, period, burst int64) {
		checkCompiled(t, algorithm.Kind(kind%5), count, period, burst)
	})
}
