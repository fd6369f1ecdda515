package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// Whatever happens to the entries, the queue stays a heap in which no instant is
// later than its entry's own, and its front is the entry that is empty first.
func TestQueueOverRandomHistories(t *testing.T) {
	limits := []*algorithm.Limit{}
	for _, kind := range kinds {
		limits = append(limits, compile(t, kind, 10, minute), compile(t, kind, 3, 10*second), compile(t, kind, 100, 60*minute))
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		table := newTable(t, 40)
		s := &table.shards[0]
		var refunds []Op
		for step := range 500 {
			table.now.Add(r.Int64N(3 * second))
			k, limit := key(r.IntN(60)), limits[r.IntN(len(limits))]
			switch r.IntN(12) {
			case 0:
				table.Reset(k)
			case 1:
				if n := len(refunds); n > 0 {
					table.Refund(uint64(step)+1, refundOf(refunds[r.IntN(n)]))
				}
			case 2:
				table.now.Add(r.Int64N(5 * minute))
			case 3:
				table.Sweep()
			default:
				if op := table.take(k, limit, r.Int64N(4)); op.Charged {
					refunds = append(refunds, op)
				}
			}
			s.check(t)
			if len(s.queue) > 0 {
				s.checkFront(t)
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
	}
}

func (s *shard) checkFront(t testing.TB) {
	t.Helper()
	front := s.expires(s.nearestToEmpty())
	for _, i := range s.index {
		if at := s.expires(i); at < front {
			t.Errorf("the front is empty at %d, entry %d at %d", front, i, at)
		}
	}
}
