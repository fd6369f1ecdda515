package replay

import "slices"

// window puts the requests of one log in the order of time. A server writes a line
// when the request ends, so lines are out of order by as much as requests take.
// The window holds a number of requests and hands out the oldest, so memory does
// not grow with the log. A request that comes later than that is decided at the
// instant the replay has reached, and counted.
type window struct {
	from *source
	size int
	held []request // sorted by time from first on; equal times in the log's order
	head int
	more bool
}

func newWindow(from *source, size int) *window {
	return &window{from: from, size: size, held: make([]request, 0, 2*size), more: true}
}

// peek is the oldest request held; nil at the end.
func (w *window) peek() *request {
	for w.more && len(w.held)-w.head < w.size {
		var e request
		if w.more = w.from.next(&e); w.more {
			w.insert(e)
		}
	}
	if w.head == len(w.held) {
		return nil
	}
	return &w.held[w.head]
}

// take removes the request that peek shows.
func (w *window) take() {
	w.held[w.head] = request{}
	w.head++
}

// insert finds the request's place from the end, where most belong.
func (w *window) insert(e request) {
	if len(w.held) == cap(w.held) {
		w.held = w.held[:copy(w.held, w.held[w.head:])]
		clear(w.held[len(w.held):cap(w.held)])
		w.head = 0
	}
	if n := len(w.held); n == w.head || w.held[n-1].at <= e.at {
		w.held = append(w.held, e)
		return
	}
	place, _ := slices.BinarySearchFunc(w.held[w.head:], e.at, func(held request, at int64) int {
		if held.at <= at {
			return -1
		}
		return 1
	})
	if w.head == 0 || place > (len(w.held)-w.head)/2 {
		w.held = slices.Insert(w.held, w.head+place, e)
		return
	}
	// The shorter way: logs put together in the wrong order come here each time.
	copy(w.held[w.head-1:], w.held[w.head:w.head+place])
	w.head--
	w.held[w.head+place] = e
}
