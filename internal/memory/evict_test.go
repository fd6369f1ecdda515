package memory

import (
	"fmt"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// A request that makes room for a new key may evict a key of its own. What it
// takes of that key is kept all the same.
func TestEvictionWithinARequest(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		limit := compile(t, kind, 10, minute)
		for _, held := range []int{0, 1, 2} {
			t.Run(fmt.Sprint("held is number ", held), func(t *testing.T) {
				table := newTable(t, 3)
				table.take(key(0), limit, 2) // the least of three, so the first to go
				table.take(key(1), limit, 9)
				table.take(key(2), limit, 9)
				request := Request{Ops: []Op{
					{Key: key(10), Limit: limit, Cost: 5}, {Key: key(11), Limit: limit, Cost: 5}, {Key: key(12), Limit: limit, Cost: 5},
				}}
				request.Ops[held].Key = key(0)
				request.Ops[held].Cost = 3
				table.Take(&request)
				for i, op := range request.Ops {
					if !op.Charged {
						t.Errorf("op %d: %+v", i, op)
					}
				}
				if got := request.Ops[held].Outcome.Remaining; got != 5 {
					t.Errorf("the answer of the key held says that %d remain, want 5", got)
				}
				if got := table.remaining(key(0), limit); got != 5 {
					t.Errorf("%d remain of the key held, want 5: 2 were taken, then 3", got)
				}
			})
		}
	})
}

// Even a request of more new keys than there is room for answers each of them,
// and leaves as many keys as there is room for.
func TestRequestLargerThanTheTable(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 2)
		limit := compile(t, kind, 10, minute)
		for round := range 3 {
			var request Request
			for n := range 6 {
				request.Ops = append(request.Ops, Op{Key: key(10*round + n), Limit: limit, Cost: 4, Group: int32(n / 2)})
			}
			table.Take(&request)
			for i, op := range request.Ops {
				if !op.Charged || op.Outcome.Remaining != 6 {
					t.Errorf("op %d: %+v", i, op)
				}
			}
			if table.Len() != 2 {
				t.Errorf("%d keys in a table of 2", table.Len())
			}
		}
	})
}

// A key whose algorithm changes in the middle of a request, log and no log side
// by side, leaves one entry and no log behind that nobody owns.
func TestBothKindsOfOneKeyInARequest(t *testing.T) {
	table := newTable(t, 4)
	log, gcra := compile(t, algorithm.SlidingLog, 10, minute), compile(t, algorithm.GCRA, 10, minute)
	request := Request{Ops: []Op{{Key: key(0), Limit: log, Cost: 10}, {Key: key(0), Limit: gcra, Cost: 10, Group: 1}}}
	table.Take(&request)
	for i, op := range request.Ops {
		if !op.Charged || op.Outcome.Remaining != 0 {
			t.Errorf("op %d, of a kind that nobody used before: %+v", i, op)
		}
	}
	for round := range 5 {
		request := Request{Ops: []Op{
			{Key: key(0), Limit: log, Cost: 1}, {Key: key(0), Limit: gcra, Cost: 1, Group: 1}, {Key: key(round), Limit: log, Cost: 1, Group: 2},
		}}
		table.Take(&request)
		checkInvariants(t, table.Table)
	}
}
