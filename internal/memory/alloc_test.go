package memory

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// A decision on known keys allocates nothing, whatever its verdict, alone or
// with two others.
func TestDecisionsAllocateNothing(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 1000)
		wide, tight := compile(t, kind, 1000, minute), compile(t, kind, 1, 60*minute)
		for _, c := range []struct {
			name  string
			limit *algorithm.Limit
			peek  bool
		}{{"admitted", wide, false}, {"refused", tight, false}, {"peeked", wide, true}} {
			op := Op{Key: key(len(c.name)), Limit: c.limit, Cost: 1}
			for range 600 { // a log's ring has grown by then
				table.TakeOne(&op)
			}
			op.Peek = c.peek
			if got := testing.AllocsPerRun(300, func() { table.TakeOne(&op) }); got != 0 {
				t.Errorf("%s: %v allocations for one check", c.name, got)
			}
		}
		var request Request
		for n := range 3 {
			request.Ops = append(request.Ops, Op{Key: key(100 + n), Limit: wide, Cost: 1, Group: int32(n), Peek: n == 1})
		}
		for range 600 {
			table.Take(&request)
		}
		if got := testing.AllocsPerRun(300, func() { table.Take(&request) }); got != 0 {
			t.Errorf("%v allocations for three checks", got)
		}
	})
}
