package memory

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir/internal/algorithm"
)

// Idle keys are gone within one sweep; keys that still matter stay.
func TestSweep(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 10_000)
		limit, long := compile(t, kind, 10, minute), compile(t, kind, 10, 60*minute)
		for n := range 5000 {
			table.take(key(n), limit, 10)
		}
		for n := range 100 {
			table.take(key(10_000+n), long, 10)
		}
		table.Sweep()
		if got := table.Len(); got != 5100 {
			t.Fatalf("%d keys after a sweep while all matter, want 5100", got)
		}
		table.now.Add(2*minute + 1)
		table.Sweep()
		if got := table.Len(); got != 100 {
			t.Errorf("%d keys after two minutes idle and a sweep, want 100", got)
		}
		for n := range 100 {
			if op := table.take(key(10_000+n), long, 1); op.Allowed {
				t.Fatalf("a key that mattered was swept: %+v", op)
			}
		}
		table.now.Add(200 * minute)
		table.Sweep()
		if got := table.Len(); got != 0 {
			t.Errorf("%d keys in the end", got)
		}
	})
}

// A sweep takes a key at the very instant from which it says nothing, and not a
// microsecond sooner.
func TestSweepToTheMicrosecond(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 100)
		reset := table.take(key(0), compile(t, kind, 10, minute), 10).Outcome.Reset
		table.now.Add(reset - 1)
		if table.Sweep(); !table.holds(key(0)) {
			t.Error("swept a microsecond too soon")
		}
		table.now.Add(1)
		if table.Sweep(); table.holds(key(0)) {
			t.Error("not swept at the instant at which it is empty")
		}
	})
}

// The table sweeps itself while it is open, and not once it is closed.
func TestSweeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(1000, func() int64 { return time.Now().UnixMicro() })
		limit := compile(t, algorithm.FixedWindow, 10, 6*second)
		take := func() {
			for n := range 100 {
				table.TakeOne(&Op{Key: key(n), Limit: limit, Cost: 1})
			}
		}
		take()
		time.Sleep(5 * time.Second) // of the bubble's own clock
		if got := table.Len(); got != 100 {
			t.Errorf("%d keys before any is empty, want 100", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := table.Len(); got != 0 {
			t.Errorf("%d keys a second after all were empty", got)
		}
		take()
		table.Close()
		time.Sleep(time.Minute)
		if got := table.Len(); got != 100 {
			t.Errorf("%d keys in a closed table, want 100", got)
		}
	})
}

// With the sweeper stopped an expired key is decided as a new one, and no time
// in the answer is negative (B23).
func TestExpiredKeyIsFreshWithoutASweep(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 100)
		limit := compile(t, kind, 10, minute)
		fresh := table.take(key(0), limit, 10)
		for _, idle := range []int64{2 * minute, 60 * minute, 400 * 24 * 60 * minute} {
			table.now.Add(idle)
			op := table.take(key(0), limit, 10)
			if !op.Allowed || op.Outcome != fresh.Outcome {
				t.Errorf("after %d µs idle: %+v, a new key gets %+v", idle, op.Outcome, fresh.Outcome)
			}
			if o := op.Outcome; o.Wait < 0 || o.Reset < 0 || o.Remaining < 0 {
				t.Errorf("negative: %+v", o)
			}
		}
	})
}

// A sweep gives memory back though keys remain in every shard, and those are as
// they were. Slots are not given back, but there are few bytes to a key.
func TestSweepGivesMemoryBack(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		if l := compile(t, kind, 100, minute); l.IsBucket() {
			return
		}
		table := newTable(t, 1<<16)
		limit, long := compile(t, kind, 100, minute), compile(t, kind, 100, 60*minute)
		before := heap()
		for n := range 1 << 15 {
			table.take(key(n), limit, 1)
			if n%100 == 0 {
				table.take(key(1_000_000+n), long, 60)
			}
		}
		full := heap() - before
		table.now.Add(3 * minute)
		want := map[int]int64{}
		for n := 0; n < 1<<15; n += 100 {
			want[1_000_000+n] = table.remaining(key(1_000_000+n), long)
		}
		table.Sweep()
		left := heap() - before
		if left > full/8 {
			t.Errorf("%d kB in use with 33,000 keys, %d kB with 330 left", full>>10, left>>10)
		}
		for n, remaining := range want {
			if got := table.remaining(key(n), long); got != remaining || !table.holds(key(n)) {
				t.Fatalf("%d remain of a key that stayed, %d did before the sweep", got, remaining)
			}
		}
	})
}

// Memory follows what is used, not what is allowed (B23): 10,000 keys of
// 1,000,000/min that came once take less than 50 MB, by far.
func TestMemoryFollowsUse(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		before := heap()
		table := newTable(t, 1<<20)
		limit := compile(t, kind, 1_000_000, minute)
		for n := range 10_000 {
			table.take(key(n), limit, 1)
		}
		if grown := heap() - before; grown > 5<<20 {
			t.Errorf("10,000 keys of one call each take %d kB", grown>>10)
		}
		runtime.KeepAlive(table)
	})
}

// A log's memory follows what was admitted lately: it grows with a burst and is
// given back with the next admission after the burst has left.
func TestLogMemoryFollowsAdmissions(t *testing.T) {
	table := newTable(t, 100)
	limit := compile(t, algorithm.SlidingLog, 1_000_000, minute)
	before := heap()
	for range 200_000 {
		table.take(key(0), limit, 1)
	}
	if full := heap() - before; full < 2<<20 || full > 16<<20 {
		t.Errorf("200,000 entries take %d kB", full>>10)
	}
	for range 1000 {
		table.take(key(1), limit, 2_000_000)
	}
	table.now.Add(minute)
	table.take(key(0), limit, 1)
	if left := heap() - before; left > 1<<20 {
		t.Errorf("%d kB once all but one entry have left", left>>10)
	}
}

// heap is the bytes in use, after what nobody uses was collected.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
