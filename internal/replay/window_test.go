package replay

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// readFrom is a source that has read these requests.
func readFrom(requests ...request) *source {
	s := &source{batches: make(chan []request, 1)}
	s.batches <- requests
	close(s.batches)
	return s
}

func asked(at int64, path string) request { return request{at: at, to: &target{path: path}} }

// Requests of one instant stay in the order of their log, and of the logs.
func TestEqualTimesKeepTheirOrder(t *testing.T) {
	one := readFrom(asked(5, "a"), asked(6, "d"), asked(5, "b"))
	two := readFrom(asked(6, "e"), asked(5, "c"), asked(4, "0"))
	m := newMerge([]*source{one, two})
	var got string
	for r := (request{}); m.next(&r); {
		got += r.to.path
	}
	if got != "0abcde" {
		t.Errorf("they come as %s", got)
	}
}

// A window of any size hands out all of them, and as sorted as its size allows.
func TestWindowSizes(t *testing.T) {
	const n = 1000
	for _, size := range []int{1, 2, 5, 8, 100, n, 2 * n} {
		var requests []request
		for i := range n {
			requests = append(requests, request{at: int64(i/8*8 + 7 - i%8)}) // back by up to 7
		}
		w := newWindow(readFrom(requests...), size)
		seen, sorted, last := map[int64]bool{}, true, int64(-1)
		for e := w.peek(); e != nil; e = w.peek() {
			seen[e.at] = true
			sorted = sorted && last <= e.at
			last = e.at
			w.take()
		}
		if len(seen) != n || sorted != (size >= 8) {
			t.Errorf("a window of %d: %d requests, sorted %v", size, len(seen), sorted)
		}
	}
}

// Whatever the order, each time the oldest of those held is handed out, and of the
// oldest the first in the log.
func TestWindowHandsOutTheOldest(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 6))
	for _, size := range []int{1, 2, 3, 16, 100} {
		var requests []request
		for i := range 2000 {
			requests = append(requests, asked(int64(random.IntN(500)), strconv.Itoa(i)))
		}
		w := newWindow(readFrom(slices.Clone(requests)...), size)
		held, rest := []request(nil), requests
		for n := range requests {
			for len(held) < size && len(rest) > 0 {
				held, rest = append(held, rest[0]), rest[1:]
			}
			oldest := 0
			for i := range held {
				if held[i].at < held[oldest].at {
					oldest = i
				}
			}
			if got, want := w.peek(), held[oldest]; got == nil || got.at != want.at || got.to != want.to {
				t.Fatalf("a window of %d: request %d is %+v, want %+v", size, n, got, want)
			}
			w.take()
			held = slices.Delete(held, oldest, oldest+1)
		}
		if w.peek() != nil {
			t.Errorf("a window of %d holds more", size)
		}
	}
}
