package replay

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// readFrom is a source that has read these entries.
func readFrom(entries ...entry) *source {
	s := &source{batches: make(chan []entry, 1)}
	s.batches <- entries
	close(s.batches)
	return s
}

// Requests of one instant stay in the order of their log, and of the logs.
func TestEqualTimesKeepTheirOrder(t *testing.T) {
	one := readFrom(entry{at: 5, path: "a"}, entry{at: 6, path: "d"}, entry{at: 5, path: "b"})
	two := readFrom(entry{at: 6, path: "e"}, entry{at: 5, path: "c"}, entry{at: 4, path: "0"})
	m := newMerge([]*source{one, two})
	var got string
	for e := (entry{}); m.next(&e); {
		got += e.path
	}
	if got != "0abcde" {
		t.Errorf("they come as %s", got)
	}
}

// A window of any size hands out all of them, and as sorted as its size allows.
func TestWindowSizes(t *testing.T) {
	const n = 1000
	for _, size := range []int{1, 2, 5, 8, 100, n, 2 * n} {
		var entries []entry
		for i := range n {
			entries = append(entries, entry{at: int64(i/8*8 + 7 - i%8)}) // back by up to 7
		}
		w := newWindow(readFrom(entries...), size)
		seen, sorted, last := map[int64]bool{}, true, int64(-1)
		for e := w.peek(); e != nil; e = w.peek() {
			seen[e.at] = true
			sorted = sorted && last <= e.at
			last = e.at
			w.take()
		}
		if len(seen) != n || sorted != (size >= 8) {
			t.Errorf("a window of %d: %d entries, sorted %v", size, len(seen), sorted)
		}
	}
}

// Whatever the order, each time the oldest of those held is handed out, and of the
// oldest the first in the log.
func TestWindowHandsOutTheOldest(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 6))
	for _, size := range []int{1, 2, 3, 16, 100} {
		var entries []entry
		for i := range 2000 {
			entries = append(entries, entry{at: int64(random.IntN(500)), path: strconv.Itoa(i)})
		}
		w := newWindow(readFrom(slices.Clone(entries)...), size)
		held, rest := []entry(nil), entries
		for n := range entries {
			for len(held) < size && len(rest) > 0 {
				held, rest = append(held, rest[0]), rest[1:]
			}
			oldest := 0
			for i := range held {
				if held[i].at < held[oldest].at {
					oldest = i
				}
			}
			if got, want := w.peek(), held[oldest]; got == nil || got.at != want.at || got.path != want.path {
				t.Fatalf("a window of %d: entry %d is %+v, want %+v", size, n, got, want)
			}
			w.take()
			held = slices.Delete(held, oldest, oldest+1)
		}
		if w.peek() != nil {
			t.Errorf("a window of %d holds more", size)
		}
	}
}
