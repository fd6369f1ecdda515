package memory

import (
	"runtime"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// Close may be called twice, and by many at once; it waits for the sweeper, so
// that a thousand tables leave no goroutine behind (B25). A closed table still
// decides.
func TestCloseLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	limit := compile(t, algorithm.GCRA, 1, minute)
	for range 1000 {
		table := New(1, func() int64 { return start })
		done := make(chan struct{})
		go func() { table.Close(); close(done) }()
		table.Close()
		<-done
		table.Close()
		op := Op{Key: key(0), Limit: limit, Cost: 1}
		if table.TakeOne(&op); !op.Allowed {
			t.Fatal("a closed table refuses")
		}
	}
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines before, %d after 1000 tables", before, after)
	}
}

// A panic in the clock leaves no lock behind: the next request proceeds.
func TestPanicOfTheClock(t *testing.T) {
	broken := false
	table := New(1, func() int64 {
		if broken {
			panic("clock")
		}
		return start
	})
	table.Close()
	limit := compile(t, algorithm.GCRA, 10, minute)
	op := Op{Key: key(0), Limit: limit, Cost: 1}
	request := Request{Ops: []Op{op, op}}
	table.TakeOne(&op)
	broken = true
	for _, decide := range []func(){
		func() { table.TakeOne(&op) }, func() { table.Take(&request) }, func() { table.Refund(1, refundOf(op)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			decide()
		}()
	}
	broken = false
	if table.Take(&request); !request.Ops[0].Allowed || request.Ops[0].Outcome.Remaining != 7 {
		t.Errorf("afterwards: %+v", request.Ops)
	}
}
