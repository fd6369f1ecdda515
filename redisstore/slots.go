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
//
// While a slot moves from node to node, one that holds some of an identity's keys
// answers TRYAGAIN: then they are parts of their own, too.

// part is those checks of a request that are asked in one call.
type part struct {
	index   []int // of each check in the request
	checks  []weir.Check
	results []weir.Result
	err     error
}

func (s *Store) takeSlots(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if oneIdentity(checks) {
		if err := s.take(ctx, checks, results); !isTryAgain(err) {
			return err
		}
	}
	if slices.ContainsFunc(checks, mustTakeTurns) {
		return s.takeInTurn(ctx, checks, results)
	}
	parts := split(checks, func(k *weir.Key) string { return k.Identity })
	if err := s.ask(ctx, parts); err != nil {
		return err
	}
	parts, err := s.askAgain(ctx, parts)
	for i := range parts {
		p := &parts[i]
		for j, at := range p.index {
			results[at] = p.results[j] // of no charge, where it failed
		}
		if p.err != nil {
			err = p.err
		}
	}
	if err != nil {
		s.abandon(checks, results)
		return fmt.Errorf("redisstore: take: %w", err)
	}
	s.settle(ctx, checks, results)
	return nil
}

func oneIdentity(checks []weir.Check) bool {
	for i := range checks {
		if checks[i].Key.Identity != checks[0].Key.Identity {
			return false
		}
	}
	return true
}

// split sorts the checks into parts whose keys have the same by, in order of
// appearance.
func split[K comparable](checks []weir.Check, by func(*weir.Key) K) []part {
	parts, places := make([]part, 0, 2), make(map[K]int, 2)
	for i := range checks {
		k := by(&checks[i].Key)
		at, found := places[k]
		if !found {
			at = len(parts)
			places[k], parts = at, append(parts, part{})
		}
		p := &parts[at]
		p.index = append(p.index, i)
		p.checks = append(p.checks, checks[i])
		p.results = append(p.results, weir.Result{})
	}
	return parts
}

// ask makes all calls at once. An error means that no reply is known; each part
// has one of its own otherwise.
func (s *Store) ask(ctx context.Context, parts []part) error {
	calls := make([]call, len(parts))
	asked := make([]question, len(parts))
	for i := range parts {
		calls[i], asked[i] = s.request(order{parts[i].checks, 1}), s.denied.ask(parts[i].checks)
	}
	replies, err := s.eval.evalAll(ctx, takeScript, calls)
	if err != nil {
		return fmt.Errorf("redisstore: take: %w", err)
	}
	for i := range parts {
		p := &parts[i]
		var a answer
		if a, p.err = readOne(replies[i].text, replies[i].err); p.err == nil {
			p.err = s.read(a, asked[i], p.checks, p.results)
		}
		if p.err != nil {
			clear(p.results) // nothing known to be charged, nothing to give back
		}
	}
	return nil
}

// askAgain asks those parts key by key that have met a slot on its way.
func (s *Store) askAgain(ctx context.Context, parts []part) ([]part, error) {
	var settled, again []part
	for _, p := range parts {
		if !isTryAgain(p.err) {
			settled = append(settled, p)
			continue
		}
		for _, single := range split(p.checks, func(k *weir.Key) weir.Key { return *k }) {
			for j, at := range single.index {
				single.index[j] = p.index[at]
			}
			again = append(again, single)
		}
	}
	if len(again) == 0 {
		return parts, nil
	}
	err := s.ask(ctx, again)
	return append(settled, again...), err
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
// anew: two round trips more, whatever their number. It does what it can: a node
// that does not answer keeps the charge, and its key has that much less room until
// it has drained.
func (s *Store) settle(ctx context.Context, checks []weir.Check, results []weir.Result) {
	var undone []part
	var calls []call
	for i, stays := range charges(checks, results) {
		if results[i].Charged && !stays {
			undone = append(undone, part{index: []int{i}, checks: []weir.Check{checks[i]}, results: make([]weir.Result, 1)})
			calls = append(calls, s.giveBack(weir.Charged(checks[i], results[i])))
		}
	}
	if len(calls) == 0 {
		return
	}
	replies, err := s.eval.evalAll(ctx, refundScript, calls)
	for i := range undone {
		s.denied.forget(&undone[i].checks[0].Key)
		undone[i].checks[0].Peek = true
	}
	if err != nil {
		return
	}
	if s.ask(ctx, undone) != nil {
		return
	}
	for i, p := range undone {
		if replies[i].err == nil && p.err == nil {
			results[p.index[0]] = p.results[0]
		}
	}
}

// giveBack is the refund of a charge that nobody knows of yet: it needs no marker.
func (s *Store) giveBack(c weir.Charge) call { return s.refundCall(&c, s.name(&c.Key)) }

// abandonWithin is how long what a failed request took may take to give back.
const abandonWithin = time.Second

// abandon gives back, after the call, what a request has charged that gets no
// decision: its own time may be over.
func (s *Store) abandon(checks []weir.Check, results []weir.Result) {
	var calls []call
	var keys []weir.Key
	for i := range checks {
		if results[i].Charged {
			keys = append(keys, checks[i].Key)
			calls = append(calls, s.giveBack(weir.Charged(checks[i], results[i])))
		}
	}
	if len(calls) == 0 {
		return
	}
	s.background.start(func() { // a closed store keeps the charge
		ctx, cancel := context.WithTimeout(context.Background(), abandonWithin)
		defer cancel()
		s.eval.evalAll(ctx, refundScript, calls) // what fails keeps its charge
		for i := range keys {
			s.denied.forget(&keys[i])
		}
	})
}
