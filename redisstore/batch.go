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
	copy(results, p.results)
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
		results, err := s.takeBatch(b)
		b.land(results, b.end(err))
		s.shared.linger(own)
	}
}

// batch are passengers of one call.
type batch struct {
	*company
	passengers []*passenger
	checks     []weir.Check // what each of them asks
}

func newBatch(own *flight) *batch {
	return &batch{gather(own.queue), own.queue, own.checks}
}

// land gives each passenger its answer.
func (b *batch) land(results []weir.Result, err error) {
	for i, p := range b.passengers {
		if err == nil {
			p.results = results[i*len(b.checks):][:len(b.checks)]
		}
		p.tell(err)
	}
}

// takeBatch is one call, with the results of all passengers in order.
func (s *Store) takeBatch(b *batch) ([]weir.Result, error) {
	times, checks := len(b.passengers), b.checks
	if times == 1 && len(checks) > 1 {
		return nil, errAlone
	}
	results := make([]weir.Result, times*len(checks))
	if times == 1 || changesNothing(checks) {
		err := s.takeAlone(b.ctx, checks, results)
		for i := len(checks); err == nil && i < len(results); i++ {
			results[i] = results[i-len(checks)]
		}
		return results, err
	}
	asked := s.denied.ask(checks)
	a, err := s.send(b.ctx, order{together(checks), times})
	if err != nil {
		return nil, fmt.Errorf("redisstore: take: %w", err)
	}
	replaced, states, err := readBatch(a, checks, results)
	if replaced > 0 {
		s.replaced(replaced)
	}
	if err == nil {
		s.learnLast(asked, checks, results, states)
	}
	return results, err
}

// learnLast goes by the answer of the last passenger. Where it was refused after
// others had passed, it is they who have changed the key since it was asked.
func (s *Store) learnLast(asked question, checks []weir.Check, results []weir.Result, states []algorithm.State) {
	last := results[len(results)-len(checks):]
	if results[0].Charged && !last[0].Charged && s.denied != nil {
		s.denied.forget(&checks[0].Key)
		asked.generation++
	}
	s.denied.learn(asked, checks, last, states)
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

// readBatch turns the answer to a batch into the results of all, one passenger's
// beside the other's, and the states that they left. The script tells the states
// before; the takes are repeated on them here, by the same code as in memory.
func readBatch(a answer, checks []weir.Check, results []weir.Result) (replaced int, states []algorithm.State, err error) {
	r, at := replyReader{rest: a.text}, a.at
	granted := int(r.double())
	if len(checks) > 1 && granted == 0 {
		return 0, nil, errAlone
	}
	states = make([]algorithm.State, len(checks)) // a log's stays where it is
	for i := range checks {
		if r.byte()&bitReplaced != 0 {
			replaced++
		}
		if checks[i].Limit.Algorithm() == weir.SlidingLog {
			r.repeatLog(&checks[i], at, granted, results[i:], len(checks))
		} else {
			states[i] = r.repeat(&checks[i], at, granted, results[i:], len(checks))
		}
	}
	if r.failed || r.rest != "" {
		return replaced, nil, errReply
	}
	return replaced, states, nil
}

// repeat takes one after the other from the state before, and sets every
// stride-th result. It returns the state after.
func (r *replyReader) repeat(c *weir.Check, at int64, granted int, results []weir.Result, stride int) algorithm.State {
	l, state := c.Limit.Compiled(), r.state()
	for i := 0; i < len(results); i += stride {
		var allowed bool
		state, allowed = l.Take(state, at, c.Cost)
		results[i] = result(c, allowed, allowed, state, l.Read(state, at, c.Cost), at)
		r.failed = r.failed || allowed != (i/stride < granted)
	}
	return state
}

// repeatLog goes by the outcome after all of them: a log's state stays where it is.
func (r *replyReader) repeatLog(c *weir.Check, at int64, granted int, results []weir.Result, stride int) {
	last := r.outcome()
	for i := 0; i < len(results); i += stride {
		o, allowed := last, i/stride < granted
		if after := int64(granted - 1 - i/stride); after > 0 {
			o.Remaining, o.Wait = last.Remaining+after*c.Cost, 0
		}
		results[i] = result(c, allowed, allowed, algorithm.State{}, o, at)
	}
}
