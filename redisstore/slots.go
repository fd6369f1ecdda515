package redisstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weirhq/weir"
)

// On a cluster a request's checks are split by identity, which is what the slot
// depends on, and asked all at once: one round trip. No part knows what the
// others say, so where one refuses, what the others took and should not have is
// given back: for a moment there is less room than there is, never more.

// part is the checks of one identity.
type part struct {
	index   []int // of each check in the request
	checks  []weir.Check
	results []weir.Result
}

func (s *Store) takeSlots(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	parts := split(checks)
	if len(parts) == 1 {
		return s.take(ctx, checks, results)
	}
	if slices.ContainsFunc(checks, mustTakeTurns) {
		return s.takeInTurn(ctx, checks, results)
	}
	calls := make([]call, len(parts))
	for i := range parts {
		calls[i] = s.request(parts[i].checks)
	}
	replies, failed := s.eval.evalAll(ctx, takeScript, calls)
	if failed != nil {
		return fmt.Errorf("redisstore: take: %w", failed)
	}
	for i := range parts {
		err := replies[i].err
		if err == nil {
			err = s.read(replies[i].text, parts[i].checks, parts[i].results)
		}
		if err != nil {
			failed = err
			clear(parts[i].results) // nothing known to be charged, nothing to give back
		}
		for j, at := range parts[i].index {
			results[at] = parts[i].results[j]
		}
	}
	if failed != nil {
		s.abandon(checks, results)
		return fmt.Errorf("redisstore: take: %w", failed)
	}
	s.settle(ctx, checks, results)
	return nil
}

// mustTakeTurns reports whether the check must not be asked before what stands
// before it has passed: it counts refused calls too, and unless it is independent
// only those that reach it.
func mustTakeTurns(c weir.Check) bool {
	return c.Limit.CountsAll() && (c.Group == nil || c.Group.Charge != weir.Independent)
}

// split sorts the checks by identity, in order of appearance.
func split(checks []weir.Check) []part {
	parts := make([]part, 0, 2)
	for i := range checks {
		at := slices.IndexFunc(parts, func(p part) bool { return p.checks[0].Key.Identity == checks[i].Key.Identity })
		if at < 0 {
			at = len(parts)
			parts = append(parts, part{})
		}
		p := &parts[at]
		p.index = append(p.index, i)
		p.checks = append(p.checks, checks[i])
		p.results = append(p.results, weir.Result{})
	}
	return parts
}

// charges says which checks are to be charged, now that all verdicts are known;
// it is what driver.lua does on one node.
func charges(checks []weir.Check, results []weir.Result) []bool {
	charged := make([]bool, len(checks))
	refused := false
	forEachGroup(checks, func(start, end int, g weir.Group) {
		passes := true
		for i := start; i < end; i++ {
			passes = passes && results[i].Allowed
		}
		for i := start; i < end; i++ {
			stays := passes || checks[i].Limit.CountsAll() || g.Charge == weir.Independent
			charged[i] = results[i].Charged && stays && (!refused || g.Charge == weir.Independent)
		}
		refused = refused || !passes && !g.Shadow
	})
	forEachGroup(checks, func(start, end int, g weir.Group) {
		for i := start; i < end && refused && g.Charge == weir.Admitted; i++ {
			charged[i] = charged[i] && checks[i].Limit.CountsAll()
		}
	})
	return charged
}

func forEachGroup(checks []weir.Check, do func(start, end int, g weir.Group)) {
	for start := 0; start < len(checks); {
		end := start + 1
		for end < len(checks) && sameGroup(checks, end) {
			end++
		}
		var g weir.Group
		if checks[start].Group != nil {
			g = *checks[start].Group
		}
		do(start, end, g)
		start = end
	}
}

// sameGroup reports whether the check at i belongs to the group of the one before.
func sameGroup(checks []weir.Check, i int) bool {
	return checks[i].Group != nil && checks[i].Group == checks[i-1].Group
}

// settle gives back what was charged but is not to be, and describes those keys
// anew. It does what it can: a node that does not answer keeps the charge, and its
// key has that much less room until it has drained.
func (s *Store) settle(ctx context.Context, checks []weir.Check, results []weir.Result) {
	keep := charges(checks, results)
	for i := range checks {
		if !results[i].Charged || keep[i] || !s.giveBack(ctx, weir.Charged(checks[i], results[i])) {
			continue
		}
		peek := []weir.Check{checks[i]}
		peek[0].Peek = true
		var after [1]weir.Result
		if s.take(ctx, peek, after[:]) == nil {
			results[i] = after[0]
		}
	}
}

func (s *Store) giveBack(ctx context.Context, charge weir.Charge) bool {
	_, err := s.refund(ctx, &charge, []string{s.name(&charge.Key)})
	return err == nil
}

// abandonWithin is how long what a failed request took may take to give back.
const abandonWithin = time.Second

// abandon gives back, after the call, what a request has charged that gets no
// decision: its own time may be over.
func (s *Store) abandon(checks []weir.Check, results []weir.Result) {
	var charges []weir.Charge
	for i := range checks {
		if results[i].Charged {
			charges = append(charges, weir.Charged(checks[i], results[i]))
		}
	}
	if len(charges) == 0 {
		return
	}
	s.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), abandonWithin)
		defer cancel()
		for _, c := range charges {
			s.giveBack(ctx, c)
		}
	})
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
		if err := s.take(ctx, turn, results[start:end]); err != nil {
			s.abandon(checks[:start], results[:start])
			return err
		}
		start = end
	}
	s.settle(ctx, checks, results)
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
