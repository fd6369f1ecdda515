package algorithm_test

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// sink keeps the compiler from leaving work out.
var sink int64

// BenchmarkTakeAndRead is a hot key: one take and the answer to it, at instants
// that move on so that some are refused. The share is checked, and "empty" is
// the loop with everything but the decision.
func BenchmarkTakeAndRead(b *testing.B) {
	b.Run("empty", func(b *testing.B) {
		b.ReportAllocs()
		now := vectors.T0
		for b.Loop() {
			now += 600
			sink += now
		}
	})
	for _, kind := range vectors.Kinds() {
		b.Run(vectors.Name(kind), func(b *testing.B) {
			l := compile(b, kind, 1000, second, 0)
			k := newKey(kind)
			now, admitted := vectors.T0, 0
			b.ReportAllocs()
			for b.Loop() {
				now += 600
				if kind == algorithm.SlidingLog {
					ok := k.log.Take(l, now, 1)
					sink += k.log.Read(l, now, 1).Remaining
					admitted += b2i(ok)
					continue
				}
				var ok bool
				k.state, ok = l.Take(k.state, now, 1)
				sink += l.Read(k.state, now, 1).Remaining
				admitted += b2i(ok)
			}
			if share := float64(admitted) / float64(b.N); b.N > 100_000 && (share < 0.5 || share > 0.7) {
				b.Fatalf("set-up: %.0f%% admitted, not 60%%", 100*share)
			}
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A decision on a hot key allocates nothing, a log's included once its ring has
// the size of its use.
func TestNoAllocations(t *testing.T) {
	for _, kind := range vectors.Kinds() {
		l := compile(t, kind, 10, second, 0)
		k := newKey(kind)
		now := vectors.T0
		decide := func() {
			now += 60_000
			charge, admitted := k.take(l, now, 1)
			sink += k.read(l, now, 1).Wait
			if admitted && now%7 == 0 {
				k.refund(l, now, charge)
			}
		}
		for range 100 {
			decide()
		}
		if n := testing.AllocsPerRun(1000, decide); n != 0 {
			t.Errorf("%s: %v allocations", vectors.Name(kind), n)
		}
	}
}
