package failover

import "sync/atomic"

// counters count for ever, from 0 at New.
type counters struct {
	failures, cancelled, degraded, unavailable atomic.Int64
}

// Stats tell how the store does.
type Stats struct {
	// State is that of the breaker: "closed" while the store is asked, "open"
	// while it is not, "half-open" while one call tries it.
	State string
	// Failures counts calls that failed or did not answer in time.
	Failures int64
	// Cancelled counts calls whose caller hung up.
	Cancelled int64
	// Degraded counts requests answered without the store, Unavailable among
	// them those that got an error.
	Degraded, Unavailable int64
	// LastFailure is the last call's that failed; empty if none has.
	LastFailure string
}

// Stats is a snapshot.
func (s *Store) Stats() Stats {
	stats := Stats{
		State:       s.breaker.State().String(),
		Failures:    s.stats.failures.Load(),
		Cancelled:   s.stats.cancelled.Load(),
		Degraded:    s.stats.degraded.Load(),
		Unavailable: s.stats.unavailable.Load(),
	}
	if err := s.lastFailure(); err != nil {
		stats.LastFailure = err.Error()
	}
	return stats
}

// Len is the number of keys held in memory.
func (s *Store) Len() int { return s.local.Len() }
