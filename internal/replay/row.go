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
	row               *row
	who               int32
	trial
	account account // if it is the first of its shelf
}

// shelf has the accounts of one limit's name in one layer: plans of callers may have
// several limits of that name, which share them.
type shelf struct {
	accounts []*account
	of       numbers
}

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
	if !key.limit.Blocked() {
		r.trials = newTrials(key.limit.Compiled())
	}
	return r
}

// meet is the caller of that number at the limit, and its account.
func (r *row) meet(who int32) (*met, *account) {
	place := r.of.at(who)
	if *place == 0 {
		m := new(met)
		if r.trials != nil {
			m = r.trials.meet()
		}
		m.row, m.who = r, who
		r.callers = append(r.callers, m)
		*place = int32(len(r.callers))
	}
	m := r.callers[*place-1]
	return m, r.shelf.account(who, &m.account)
}

// account is the one of the caller of that number, or if there is none fresh.
func (s *shelf) account(who int32, fresh *account) *account {
	place := s.of.at(who)
	if *place == 0 {
		s.accounts = append(s.accounts, fresh)
		*place = int32(len(s.accounts))
	}
	return s.accounts[*place-1]
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
