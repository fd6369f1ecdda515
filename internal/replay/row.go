package replay

// row is one limit of one layer.
type row struct {
	key     rowKey
	shelf   *shelf
	callers []*met  // who met the limit
	of      numbers // of callers
	trials  *trials // nil for a limit that is blocked
}

// met is one caller at one limit. What every request touches comes first.
type met struct {
	newest            int32 // 1 + the index of its newest event in the backlog; 0 is none
	place             int32 // in the backlog while it has events there
	requests, refused int64
	account           *account
	own               account // its account, if it is the first of its shelf
	trial
	row *row
	who int32
}

// shelf is the rows of one limit's name in one layer: plans of callers may have several
// limits of that name, which share accounts.
type shelf struct{ rows []*row }

// numbers are places in a list by the tally's roster, from 1; 0 is none.
type numbers []int32

func (n *numbers) at(who int32) *int32 {
	for int(who) >= len(*n) {
		*n = append(*n, 0)
	}
	return &(*n)[who]
}

func newRow(key rowKey, s *shelf) *row {
	r := &row{key: key, shelf: s}
	s.rows = append(s.rows, r)
	if !key.limit.Blocked() {
		r.trials = newTrials(key.limit.Compiled())
	}
	return r
}

// meet is the caller of that number at the limit.
func (r *row) meet(who int32) *met {
	if m := r.known(who); m != nil {
		return m
	}
	m := new(met)
	if r.trials != nil {
		m = r.trials.meet()
	}
	m.row, m.who, m.account = r, who, r.shelf.account(who)
	if m.account == nil {
		m.account = &m.own
	}
	r.callers = append(r.callers, m)
	*r.of.at(who) = int32(len(r.callers))
	return m
}

// known is nil where the caller has not met the limit.
func (r *row) known(who int32) *met {
	if int(who) >= len(r.of) || r.of[who] == 0 {
		return nil
	}
	return r.callers[r.of[who]-1]
}

// account is the caller's; nil where it has none.
func (s *shelf) account(who int32) *account {
	for _, r := range s.rows {
		if m := r.known(who); m != nil {
			return m.account
		}
	}
	return nil
}

func (r *row) requests() (n int64) {
	for _, m := range r.callers {
		n += m.requests
	}
	return n
}

func (r *row) refused() (n int64) {
	for _, m := range r.callers {
		n += m.refused
	}
	return n
}

func (r *row) callersRefused() (n int64) {
	for _, m := range r.callers {
		if m.refused > 0 {
			n++
		}
	}
	return n
}
