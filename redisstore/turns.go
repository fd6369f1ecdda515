package redisstore

import (
	"context"
	"slices"

	"github.com/weirhq/weir"
)

// mustTakeTurns reports whether the check must not be asked before what stands
// before it has passed: it counts refused calls too, and unless it is independent
// only those that reach it.
func mustTakeTurns(c weir.Check) bool {
	return c.Limit.CountsAll() && (c.Group == nil || c.Group.Charge != weir.Independent)
}

// takeInTurn asks group after group, and within a group one identity after the
// other, in the order of the checks: what counts refused calls too cannot be given
// back, so it must not be asked before it is its turn.
func (s *Store) takeInTurn(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	for start := 0; start < len(checks); {
		end := start + 1
		for end < len(checks) && sameGroup(checks, end) && checks[end].Key.Identity == checks[start].Key.Identity {
			end++
		}
		turn := slices.Clone(checks[start:end])
		refused := refusedBefore(checks, results, start)
		for i := range turn {
			g := turn[i].Group
			turn[i].Peek = turn[i].Peek || refused && (g == nil || g.Charge != weir.Independent)
		}
		if err := s.takeTurn(ctx, turn, results[start:end]); err != nil {
			s.abandon(checks[:start], results[:start])
			return err
		}
		start = end
	}
	s.settle(ctx, checks, results)
	return nil
}

// takeTurn asks one by one, within a group that makes no difference, where a slot
// is on its way.
func (s *Store) takeTurn(ctx context.Context, turn []weir.Check, results []weir.Result) error {
	err := s.take(ctx, turn, results)
	if !isTryAgain(err) {
		return err
	}
	for i := range turn {
		if err := s.take(ctx, turn[i:i+1], results[i:i+1]); err != nil {
			s.abandon(turn[:i], results[:i])
			return err
		}
	}
	return nil
}

// refusedBefore reports whether a group that is complete before the check at has
// refused the request.
func refusedBefore(checks []weir.Check, results []weir.Result, at int) bool {
	refused := false
	forEachGroup(checks, func(start, end int, g weir.Group) {
		for i := start; i < end && end <= at && !g.Shadow; i++ {
			refused = refused || !results[i].Allowed
		}
	})
	return refused
}
