package replay

// row is one limit of one layer.
type row struct {
	key               rowKey
	requests, refused int64
	callers           []met   // who met the limit
	of                []int32 // by the tally's roster, 1 + the index into callers; 0 is none
	trials            *trials // nil for a limit that is blocked
}

// met is one caller at one limit.
type met struct {
	who               int32
	requests, refused int64
}

func newRow(key rowKey) *row {
	r := &row{key: key}
	if !key.limit.Blocked() {
		r.trials = newTrials(key.limit.Compiled())
	}
	return r
}

func (r *row) add(who int32, now, cost int64, refused bool) {
	for int(who) >= len(r.of) {
		r.of = append(r.of, 0)
	}
	if r.of[who] == 0 {
		r.callers = append(r.callers, met{who: who})
		r.of[who] = int32(len(r.callers))
	}
	i := r.of[who] - 1
	c := &r.callers[i]
	r.requests++
	c.requests++
	if refused {
		r.refused++
		c.refused++
	}
	if r.trials != nil {
		r.trials.add(int(i), now, cost)
	}
}

func (r *row) callersRefused() (n int64) {
	for i := range r.callers {
		if r.callers[i].refused > 0 {
			n++
		}
	}
	return n
}
