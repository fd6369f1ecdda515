package memory

import "github.com/weirhq/weir/internal/algorithm"

// spill remembers roughly of evicted keys until when they said something, so that
// a flood of keys frees nobody: a key that comes again inherits what it had used,
// up to half of its capacity. Many keys share a cell, which holds the largest of
// theirs, and a key has a cell in each of two rows, of which the smaller counts:
// what is inherited is at least the key's own, and may be another's. Half of the
// capacity, because so much of a stranger's debt refuses nobody who comes for the
// first time; and only of keys that have used more than half, so that a flood of
// keys that come once leaves nothing here.
//
// The guarantee, and what it costs, is in docs/memory.md.
type spill struct {
	rows [2][]uint64 // an instant in µs, 52 bits, and a limit's number
}

const minSpill = 64 // cells in a row: 1 kB, once something is spilled

// put notes the TAT of a tag. slots is how many the table has: the rows have one
// cell for four of them each, a quarter of the slots' memory together.
func (s *spill) put(tag uint64, t algorithm.TAT, now int64, slots int) {
	if s.rows[0] == nil {
		for i := range s.rows {
			s.rows[i] = make([]uint64, max(minSpill, slots/4))
		}
	}
	limits := algorithm.CompactLimits()
	if _, share := limits[tag&idMask].Used(t, now); share <= 1<<15 {
		return
	}
	until := uint64(limits[tag&idMask].PassesAt(t, now))<<algorithm.IDBits | tag&idMask
	for i := range s.rows {
		cell := s.cell(i, tag)
		if *cell&idMask == tag&idMask {
			*cell = max(*cell, until)
		} else if weighCell(limits, *cell, now) <= weighCell(limits, until, now) {
			*cell = until
		}
	}
}

// inherited is what a key of the tag that is not in the table begins with.
func (s *spill) inherited(tag uint64, limit *algorithm.Limit, now int64) algorithm.TAT {
	if s.rows[0] == nil {
		return limit.Passed(now)
	}
	a, b := *s.cell(0, tag), *s.cell(1, tag)
	if a&idMask != tag&idMask || b&idMask != tag&idMask {
		return limit.Passed(now)
	}
	return limit.PassingAt(int64(min(a, b)>>algorithm.IDBits), now, limit.Burst/2)
}

// weighCell weighs the key of a cell, as far as it is known.
func weighCell(limits []algorithm.Limit, cell uint64, now int64) int64 {
	limit := &limits[cell&idMask]
	if cell == 0 {
		return 0
	}
	return weigh(limit, limit.PassingAt(int64(cell>>algorithm.IDBits), now, limit.Burst), now)
}

// cell: the rows go by different bits of the hash, mixed, since the buckets go by
// them too.
func (s *spill) cell(row int, tag uint64) *uint64 {
	h := (tag>>algorithm.IDBits + uint64(row)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return &s.rows[row][(h>>32)*uint64(len(s.rows[row]))>>32]
}
