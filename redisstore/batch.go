package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// Takes that ask the same go to the server as one, see flight.go. The answers are
// those that they would have got one after the other at the same instant:
//
//   - of one check as many are granted as fit, and the others are refused;
//   - of several checks all are granted, or each is asked alone after all, as it
//     depends on groups what a refused one charges;
//   - what charges nothing has the same answer for all.

// mergeable reports whether what asks these checks can be asked together.
func mergeable(checks []weir.Check) bool {
	if len(checks) == 1 || changesNothing(checks) {
		return true
	}
	for i := range checks {
		c := &checks[i]
		plain := c.Group == nil || !c.Group.Shadow && c.Group.Charge != weir.Independent
		if !plain || c.Peek || c.Cost == 0 || c.Cost > maxMergedCost || c.Limit.CountsAll() {
			return false
		}
	}
	return true
}

// maxMergedCost keeps a batch's cost within a double.
const maxMergedCost = 1 << 53 / maxPassengers

func changesNothing(checks []weir.Check) bool {
	return !slices.ContainsFunc(checks, func(c weir.Check) bool { return !c.Peek && c.Cost > 0 })
}

// takeTogether is one call for all who ask the same at the same time. Whoever
// finds nobody asking makes its call as if there were nothing else.
func (s *Store) takeTogether(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if s.background.closed.Load() {
		return s.takeAlone(ctx, checks, results)
	}
	own, p := s.shared.join(ctx, checks)
	switch {
	case own == nil:
		return s.takeAlone(ctx, checks, results)
	case p == nil:
		defer func() { s.depart(own, s.shared.board(own)) }()
		return s.takeAlone(ctx, checks, results)
	}
	s.depart(own, s.shared.second(own))
	if !p.wait(ctx) {
		s.shared.leave(own, p)
		return fmt.Errorf("redisstore: take: %w", ctx.Err())
	}
	err := p.err
	if err == nil {
		p.batch.answer(p.nth, results)
	}
	p.release()
	if err == errAlone {
		return s.takeAlone(ctx, checks, results)
	}
	return verdict(ctx, err)
}

// errAlone is told to those who have no answer together.
var errAlone = errors.New("redisstore: no answer for all at once, ask alone")

// depart has a batch leave. Of a closed store they are the last: nobody joins them
// any more.
func (s *Store) depart(own *flight, b *batch) {
	if b != nil && !s.background.start(func() { s.fly(own, b) }) {
		s.fly(own, b)
	}
}

// fly takes batch after batch, until nobody waits.
func (s *Store) fly(own *flight, b *batch) {
	for ; b != nil; b = s.shared.board(own) {
		b.land(b.end(s.takeBatch(b)))
		s.shared.linger(own)
	}
}

// batch are passengers of one call. What it tells is there once, and each of them
// works out their own answer, while the next call is being made.
type batch struct {
	*company
	passengers []*passenger
	checks     []weir.Check  // what each of them asks
	same       []weir.Result // everybody's, or nil
	grant      grant
}

func newBatch(own *flight) *batch {
	b := &batch{company: gather(own.queue), passengers: own.queue, checks: own.checks}
	for i, p := range b.passengers {
		p.batch, p.nth = b, i
	}
	return b
}

func (b *batch) land(err error) {
	for _, p := range b.passengers {
		p.tell(err)
	}
}

// answer is what the nth of the passengers gets.
func (b *batch) answer(nth int, results []weir.Result) {
	if copy(results, b.same) == 0 {
		b.grant.answer(b.checks, nth, results, nil)
	}
}

// takeBatch is one call.
func (s *Store) takeBatch(b *batch) error {
	times, checks := len(b.passengers), b.checks
	if times == 1 && len(checks) > 1 {
		return errAlone
	}
	if times == 1 || changesNothing(checks) {
		b.same = make([]weir.Result, len(checks))
		return s.takeAlone(b.ctx, checks, b.same)
	}
	asked := s.denied.ask(checks)
	a, err := s.send(b.ctx, order{together(checks), times})
	if err != nil {
		return fmt.Errorf("redisstore: take: %w", err)
	}
	replaced, err := b.grant.read(a, checks, times)
	if replaced > 0 {
		s.replaced(replaced)
	}
	if err == nil && s.denied != nil {
		s.learnLast(asked, b)
	}
	return err
}

// learnLast goes by the answer of the last passenger. Where it was refused after
// others had passed, it is they who have changed the key since it was asked.
func (s *Store) learnLast(asked question, b *batch) {
	times := len(b.passengers)
	if b.grant.passed > 0 && b.grant.passed < times {
		s.denied.forget(&b.checks[0].Key)
		asked.generation++
	}
	results, states := make([]weir.Result, len(b.checks)), make([]algorithm.State, len(b.checks))
	b.grant.answer(b.checks, times-1, results, states)
	s.denied.learn(asked, b.checks, results, states)
}

// together makes the checks one group, of which all are charged or none.
func together(checks []weir.Check) []weir.Check {
	checks = slices.Clone(checks)
	group := &weir.Group{Charge: weir.Admitted}
	for i := range checks {
		checks[i].Group = group
	}
	return checks
}
