package replay

import (
	"fmt"
	"io"
	"runtime"
	"testing"
)

// endless is a log of n lines by so many callers, made as it is read. At its end
// it looks at the heap.
type endless struct {
	n, callers int
	made       int
	left       []byte
	heap       uint64 // bytes, when all but the last chunk was read
}

func (e *endless) Read(p []byte) (int, error) {
	for len(e.left) < len(p) && e.made < e.n {
		caller := e.made % e.callers
		e.left = append(e.left, line(fmt.Sprintf("10.%d.%d.%d", caller>>16, caller>>8&255, caller&255), e.made/100, fmt.Sprint("/", e.made))...)
		e.made++
	}
	if len(e.left) == 0 {
		e.heap = heap()
		return 0, io.EOF
	}
	n := copy(p, e.left)
	e.left = e.left[:copy(e.left, e.left[n:])]
	return n, nil
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// after is the heap at the end of such a log.
func after(t *testing.T, lines, callers int) uint64 {
	t.Helper()
	log := &endless{n: lines, callers: callers}
	r, err := Run(t.Context(), []Input{{"log", log}}, Options{Policy: compile(t, "layers: [{name: edge, by: ip, limit: 10/min, algorithm: sliding-counter}]")})
	if err != nil || r.Requests != int64(lines) || r.Callers != int64(callers) {
		t.Fatalf("%d requests of %d callers, %v", r.Requests, r.Callers, err)
	}
	return log.heap
}

// Memory grows with callers, by about half a kilobyte for each and limit, and not with
// lines.
func TestMemoryFollowsCallers(t *testing.T) {
	const few = 100
	short, long := after(t, 50_000, few), after(t, 200_000, few)
	if long > short+4<<20 {
		t.Errorf("%d bytes after four times as many lines, %d before", long, short)
	}
	const many = 40_000
	each := int64(after(t, 100_000, many)-short) / many
	if each < 300 || each > 800 {
		t.Errorf("%d bytes a caller", each)
	}
}
