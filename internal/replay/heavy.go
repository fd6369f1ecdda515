package replay

import (
	"cmp"
	"slices"
)

// maxRoutes is how many routes are counted at once, at most twice as many for a
// moment.
const maxRoutes = 4096

// heavy counts texts of which there may be any number, and keeps the most
// frequent: the space-saving sketch. A text that comes after others were dropped
// may have been one of these, so its count begins where theirs ended, and
// says by how much it may be too high.
type heavy struct {
	most  int
	cells map[string]*cell
	floor int64 // no dropped text came more often
}

type cell struct {
	text        string
	count, over int64 // the true count is count − over to count
}

func newHeavy(most int) *heavy { return &heavy{most: most, cells: map[string]*cell{}} }

func (h *heavy) add(text string) {
	c := h.cells[text]
	if c == nil {
		if len(h.cells) == 2*h.most {
			h.drop()
		}
		c = &cell{text: text, count: h.floor, over: h.floor}
		h.cells[text] = c
	}
	c.count++
}

func (h *heavy) drop() {
	all := h.top(2 * h.most)
	h.floor = max(h.floor, all[h.most].count)
	for _, c := range all[h.most:] {
		delete(h.cells, c.text)
	}
}

// top are the n most frequent.
func (h *heavy) top(n int) []*cell {
	all := make([]*cell, 0, len(h.cells))
	for _, c := range h.cells {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.text, b.text))
	})
	return all[:min(n, len(all))]
}
