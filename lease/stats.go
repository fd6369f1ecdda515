package lease

import "sync/atomic"

// Stats are counts since the start.
type Stats struct {
	// Taken is how many leases were taken.
	Taken int64
	// Local is how many requests were admitted without asking.
	Local int64
	// GivenBack is how many requests were leased, not used and given back.
	GivenBack int64
}

type counters struct{ taken, local, back atomic.Int64 }

// Stats reads the counts.
func (s *Store) Stats() Stats {
	return Stats{s.stats.taken.Load(), s.stats.local.Load(), s.stats.back.Load()}
}
