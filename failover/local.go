package failover

import (
	"context"
	"fmt"
	"time"

	"github.com/weirhq/weir"
)

// fallBack answers without the store, as each group says.
func (s *Store) fallBack(checks []weir.Check, results []weir.Result, cause error) error {
	s.stats.degraded.Add(1)
	local := make([]weir.Check, 0, len(checks))
	for i := range checks {
		switch c := &checks[i]; onError(c) {
		case weir.OnErrorDeny:
			if c.Group.Shadow {
				continue
			}
			s.stats.unavailable.Add(1)
			return fmt.Errorf("%w: %w", weir.ErrUnavailable, cause)
		case weir.OnErrorLocal:
			part := *c
			part.Limit = s.part(c.Limit)
			local = append(local, part)
		}
	}
	answers := make([]weir.Result, len(local))
	if err := s.local.Take(context.Background(), local, answers); err != nil {
		return err
	}
	for i := range checks {
		if onError(&checks[i]) == weir.OnErrorLocal {
			results[i], answers = answers[0], answers[1:]
		} else {
			results[i] = weir.Result{Allowed: true, At: time.Now().UnixMicro()}
		}
		results[i].Degraded = true
	}
	return nil
}

func onError(c *weir.Check) weir.OnError {
	if c.Group == nil {
		return weir.OnErrorLocal
	}
	return c.Group.OnError
}

// part is this process's part of the limit: count and burst divided by the
// share, rounded up, at least 1.
func (s *Store) part(l *weir.Limit) *weir.Limit {
	if s.share == 1 || l.Blocked() {
		return l
	}
	rate := l.Rate()
	rate.Count = s.divide(rate.Count)
	options := []weir.LimitOption{weir.WithAlgorithm(l.Algorithm())}
	if l.Algorithm().HasBurst() {
		options = append(options, weir.WithBurst(s.divide(l.Capacity())))
	}
	if l.CountsAll() {
		options = append(options, weir.WithCountAll())
	}
	part, err := weir.NewLimit(rate, options...)
	if err != nil {
		return l // less than what was accepted is accepted, but for a drain that grew by rounding
	}
	return part
}

func (s *Store) divide(n int64) int64 { return n/s.share + min(1, n%s.share) }

// warm brings the memory's states to what the store has just said is left, so
// that a caller who has used its limit does not get a fresh one when the store
// goes away.
func (s *Store) warm(checks []weir.Check, results []weir.Result) {
	for i := range checks {
		c, r := &checks[i], &results[i]
		if onError(c) != weir.OnErrorLocal || c.Peek {
			continue
		}
		s.local.LeaveAtMost(c.Key, s.part(c.Limit), s.divide(r.Remaining))
	}
}
