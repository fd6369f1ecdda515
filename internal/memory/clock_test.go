package memory

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// A caller whose clock is behind rewinds no key (as in B07): what was refilled
// once is not refilled again, and the answer is as of the newest instant.
func TestOlderNowNeverRewindsAKey(t *testing.T) {
	table := newTable(t, 100)
	limit := compile(t, algorithm.TokenBucket, 2, second)
	limit.Burst = 4
	takes := func(at int64, n int) (admitted int) {
		table.now.Store(start + at)
		for range n {
			if table.take(key(0), limit, 1).Allowed {
				admitted++
			}
		}
		return admitted
	}
	if got := takes(second, 4) + takes(-10*second, 1) + takes(second, 4); got != 4 {
		t.Errorf("at first %d pass, want 4", got)
	}
	got := 0
	for i := range int64(9) {
		got += takes(2*second-11*second*(i%2), 1)
	}
	if got != 2 {
		t.Errorf("a second later %d pass, want 2", got)
	}
}

// At an older instant every key answers as at the newest it has seen, whatever
// the algorithm, alone or in a request with others.
func TestOlderNowAnswersAsTheNewest(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 100)
		limit := compile(t, kind, 10, minute)
		table.now.Add(60*minute + 30*second)
		table.take(key(0), limit, 10)
		newest := table.take(key(0), limit, 1)
		for _, back := range []int64{1, second, 40 * minute} {
			table.now.Add(-back)
			alone := Op{Key: key(0), Limit: limit, Cost: 1}
			at := table.TakeOne(&alone)
			request := Request{Ops: []Op{{Key: key(1), Limit: limit, Cost: 1, Charging: Admitted}, {Key: key(0), Limit: limit, Cost: 1, Group: 1}}}
			together := table.Take(&request)
			if at != together || alone.Allowed || request.Ops[1].Allowed || request.Ops[0].Charged {
				t.Errorf("%d µs back: alone at %d: %+v; together at %d: %+v", back, at, alone, together, request.Ops)
			}
			if alone.Outcome.Remaining != 0 || alone.Outcome.Wait < newest.Outcome.Wait {
				t.Errorf("%d µs back: %+v, was %+v", back, alone.Outcome, newest.Outcome)
			}
		}
	})
}

// A key that was forgotten because it said nothing any more is not reborn at an
// instant when it did.
func TestForgottenKeysAreNotReborn(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		limit := compile(t, kind, 10, minute)
		for name, forget := range map[string]func(*tableAt){
			"swept":   func(table *tableAt) { table.Sweep() },
			"evicted": func(table *tableAt) { table.take(key(1), limit, 1) },
		} {
			t.Run(name, func(t *testing.T) {
				table := newTable(t, 1)
				table.take(key(0), limit, 10)
				table.now.Add(3 * minute)
				forget(table)
				if table.holds(key(0)) {
					t.Fatal("set-up: it is still there")
				}
				table.now.Add(-3 * minute)
				op := Op{Key: key(0), Limit: limit, Cost: 1, Peek: true}
				if at := table.TakeOne(&op); at < start+3*minute && op.Allowed {
					t.Errorf("allowed at %d, when its 10 of 10 still counted", at-start)
				}
				request := Request{Ops: []Op{op, op}}
				if at := table.Take(&request); at < start+3*minute && request.Ops[0].Allowed {
					t.Errorf("allowed at %d, when its 10 of 10 still counted", at-start)
				}
			})
		}
	})
}

// The clock is read once for each request, under the locks: all ops of a request
// are decided at one instant.
func TestClockIsReadOnce(t *testing.T) {
	reads := int64(0)
	table := New(100, func() int64 { reads++; return start + reads })
	table.Close()
	reads = 0
	limit := compile(t, algorithm.GCRA, 10, minute)
	request := Request{Ops: []Op{{Key: key(0), Limit: limit, Cost: 1}, {Key: key(1), Limit: limit, Cost: 1}, {Key: key(2), Limit: limit, Cost: 1}}}
	at := table.Take(&request)
	if reads != 1 || at != start+1 {
		t.Errorf("read %d times, decided at %d", reads, at-start)
	}
	for _, op := range request.Ops {
		if op.Charge.At != at {
			t.Errorf("charged at %d, decided at %d", op.Charge.At, at)
		}
	}
	if table.TakeOne(&Op{Key: key(3), Limit: limit, Cost: 1}); reads != 2 {
		t.Errorf("read %d times for one check", reads-1)
	}
}

// A key that was forgotten while the table grew is not new to a clock that goes back.
func TestClockGoesBackAfterGrowth(t *testing.T) {
	table := newTable(t, 100)
	fast, slow := compile(t, algorithm.GCRA, 1, second), compile(t, algorithm.GCRA, 1, 24*60*minute)
	for n := range uint64(ways) {
		table.take(keyIn(0, 0, n), slow, 1)
	}
	for n := range uint64(ways) {
		limit := fast
		if n >= ways/2 {
			limit = slow
		}
		table.take(keyIn(1, 1, n), limit, 1)
	}
	table.now.Add(2 * rest)
	table.take(keyIn(0, 0, ways), slow, 1) // there is no room for it
	table.now.Add(-2 * rest)
	for n := range uint64(ways / 2) {
		if op := (Op{Key: keyIn(1, 1, n), Limit: fast, Cost: 1}); table.TakeOne(&op) < start+second && op.Allowed {
			t.Errorf("key %d was admitted twice in a second", n)
		}
	}
}
