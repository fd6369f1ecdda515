package memory

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// Many at once who take, peek, give back, reset and sweep, alone, in batches and in groups,
// over few keys of many shards and more keys than there is room for, end and
// leave the table whole.
func TestStress(t *testing.T) {
	for _, maxKeys := range []int{4, 5000} {
		table := newTable(t, maxKeys)
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() { table.stress(rand.New(rand.NewPCG(uint64(g), uint64(maxKeys))), 2*maxKeys) })
		}
		all.Wait()
		checkInvariants(t, table.Table)
		table.now.Add(3 * 60 * minute)
		table.Sweep()
		if got := table.Len(); got != 0 {
			t.Errorf("%d keys are left once all are empty", got)
		}
	}
}

func (t *tableAt) stress(r *rand.Rand, keys int) {
	limits := []*algorithm.Limit{}
	for _, kind := range kinds {
		limits = append(limits, compile(t, kind, 10, minute), compile(t, kind, 50, 60*minute))
	}
	var request Request
	for step := range 1500 {
		request.Ops = request.Ops[:0]
		group := int32(0)
		for range 1 + r.IntN(5) {
			group += r.Int32N(2)
			request.Ops = append(request.Ops, Op{
				Key: key(r.IntN(keys)), Limit: limits[r.IntN(len(limits))], Cost: r.Int64N(4), Peek: r.IntN(5) == 0,
				Group: group, Charging: Charging(group % 3), Shadow: group%4 == 3,
			})
		}
		switch r.IntN(3) {
		case 0:
			t.TakeOne(&request.Ops[0])
		case 1:
			now := t.Fetch(request.Ops)
			for i := range request.Ops {
				t.TakeFetched(&request.Ops[i], now)
			}
		default:
			t.Take(&request)
		}
		switch op := request.Ops[0]; r.IntN(10) {
		case 0:
			t.Reset(op.Key)
		case 1, 2:
			if op.Charged {
				t.Refund(r.Uint64(), refundOf(op))
			}
		case 3:
			t.now.Add(r.Int64N(10 * second))
		case 4:
			if step%50 == 0 {
				t.Sweep()
			}
		}
	}
}
