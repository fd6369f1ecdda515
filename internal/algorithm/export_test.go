package algorithm

import "slices"

// CloneLog and SameLog let tests outside the package hold on to a log and
// compare it by what it means, not by how its ring happens to lie.
func CloneLog(g *Log) *Log {
	c := *g
	c.ring = slices.Clone(g.ring)
	return &c
}

func SameLog(a, b *Log) bool {
	if a.size != b.size || a.sum != b.sum || a.period != b.period {
		return false
	}
	for i := range a.size {
		if *a.at(i) != *b.at(i) {
			return false
		}
	}
	return true
}
