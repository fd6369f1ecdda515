package weir

import (
	"context"
	"slices"

	"github.com/weirhq/weir/internal/memory"
)

// each is the group of checks that have nothing to do with each other.
var each = &Group{Charge: Independent}

// TakeEach decides checks that have nothing to do with each other, such as a
// pipeline of calls, with as few calls of the store as can be: one, unless a key
// comes under two limits. Each is decided as if it had come by itself, in order,
// and results[i] tells the key as checks[i] left it. Their groups are set anew.
// Where the decisions are degraded, results of one key may tell it as the last of
// them left it.
//
// The first n are decided; an error says why the others are not.
func TakeEach(ctx context.Context, s Store, checks []Check, results []Result) (n int, err error) {
	if m, inProcess := s.(*MemoryStore); inProcess {
		return m.takeEach(checks, results)
	}
	for n < len(checks) {
		size, repeated := oneLimitEach(checks[n:])
		run := checks[n : n+size]
		for i := range run {
			run[i].Group = each
		}
		if err := s.Take(ctx, run, results[n:]); err != nil {
			return n, err
		}
		if repeated {
			tellInOrder(run, results[n:])
		}
		n += size
	}
	return n, nil
}

// fetched is how many checks are looked up ahead of the first decision: enough to wait
// for their memory together, and few enough to be in the cache still.
const fetched = 32

// takeEach makes a call of each check: here that costs less than putting them
// together. An error is of the first that is not decided.
func (s *MemoryStore) takeEach(checks []Check, results []Result) (n int, err error) {
	if len(checks) == 1 {
		if err := s.take(checks, results); err != nil {
			return 0, err
		}
		return 1, nil
	}
	r := s.requests.Get().(*request)
	defer s.requests.Put(r)
	for n < len(checks) {
		run := checks[n:min(n+fetched, len(checks))]
		for i := range run {
			if err = ValidateChecks(run[i : i+1]); err != nil {
				run = run[:i]
				break
			}
		}
		s.askEach(r, run)
		now := s.table.Fetch(r.Ops)
		for i := range r.Ops {
			results[n] = Result{}
			results[n].answer(run[i].Limit, &r.Ops[i], s.table.TakeFetched(&r.Ops[i], now))
			n++
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// askEach makes an op of each check. Most have one namespace, hashed once.
func (s *MemoryStore) askEach(r *request, checks []Check) {
	r.Ops = slices.Grow(r.Ops[:0], len(checks))[:len(checks)]
	var namespace hashed
	for i := range checks {
		c := &checks[i]
		if i == 0 || c.Key.Limit != checks[i-1].Key.Limit || c.Key.Layer != checks[i-1].Key.Layer {
			namespace = s.namespace(&c.Key)
		}
		r.Ops[i] = memory.Op{Key: hashedKey(namespace, s.identity(c.Key.Identity)), Limit: &c.Limit.compiled, Cost: c.Cost, Peek: c.Peek}
	}
}

// oneLimitEach is how many checks there are before a key comes under a second
// limit, since what one left is told in terms of its own rate, and whether any
// key comes twice.
func oneLimitEach(checks []Check) (n int, repeated bool) {
	if len(checks) == 1 {
		return 1, false
	}
	limits := make(map[Key]*Limit, len(checks))
	for i := range checks {
		c := &checks[i]
		if l := limits[c.Key]; l != nil && l != c.Limit {
			return i, len(limits) < i
		}
		limits[c.Key] = c.Limit
	}
	return len(checks), len(limits) < len(checks)
}

// tellInOrder describes keys that were named more than once as each check left
// them; a store tells all of them the state that is left in the end. What an
// algorithm without a level says of such keys stays.
func tellInOrder(checks []Check, results []Result) {
	levels := make(map[Key]Level, len(checks))
	for i := range checks {
		c, r := &checks[i], &results[i]
		if _, found := levels[c.Key]; !found && r.Charged && !r.Degraded && c.Limit.algorithm.HasBurst() {
			levels[c.Key] = r.Before
		}
	}
	for i := range checks {
		c, r := &checks[i], &results[i]
		level, found := levels[c.Key]
		if !found {
			continue // nothing was charged: all saw the same
		}
		if r.Charged {
			level.Whole += c.Cost
			levels[c.Key] = level
		}
		state := c.Limit.compiled.Filled(r.At, level.Whole, level.Frac)
		told := NewResult(c.Limit, c.Cost, r.Allowed, r.Charged, c.Limit.compiled.Read(state, r.At, c.Cost), r.At)
		told.ID, told.Before = r.ID, r.Before
		*r = told
	}
}
