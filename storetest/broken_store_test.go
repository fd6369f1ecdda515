package storetest_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// brokenStore is a good store behind what changes questions and answers.
type brokenStore struct {
	weir.Store
	clock func() time.Time
	last  time.Time
	kinds map[weir.Key]weir.Algorithm

	key    func(weir.Key) weir.Key
	check  func(*weir.Check)
	group  func(*weir.Group)
	result func(*weir.Result)
	refund func(*weir.ID, []weir.Charge)

	limitInKey, racy, oneByOne, gave, refundByReset, resetsNone, resetByPattern, forgetsOnStepBack bool
}

func remake(l *weir.Limit, count int64, a weir.Algorithm) *weir.Limit {
	options := []weir.LimitOption{weir.WithAlgorithm(a)}
	if a.HasBurst() && l.Algorithm().HasBurst() && !l.Blocked() {
		options = append(options, weir.WithBurst(l.Capacity()+count-l.Rate().Count))
	}
	made, err := weir.NewLimit(weir.Per(count, l.Rate().Period), options...)
	if err != nil {
		panic(err)
	}
	return made
}

// sameKind is the limit under the algorithm that its key was first met under.
func (s *brokenStore) sameKind(c *weir.Check) *weir.Limit {
	first, met := s.kinds[c.Key]
	if !met {
		first = c.Limit.Algorithm()
		s.kinds[c.Key] = first
	}
	return remake(c.Limit, c.Limit.Rate().Count, first)
}

func (s *brokenStore) keyOf(k weir.Key, l *weir.Limit) weir.Key {
	if s.limitInKey {
		k.Limit += l.String()
	}
	if s.key != nil {
		k = s.key(k)
	}
	if s.forgetsOnStepBack && s.clock().Before(s.last) {
		k.Layer += "after the step"
	}
	return k
}

func (s *brokenStore) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	checks = slices.Clone(checks)
	groups := map[*weir.Group]*weir.Group{}
	for i := range checks {
		c := &checks[i]
		c.Key = s.keyOf(c.Key, c.Limit)
		if s.check != nil {
			s.check(c)
		}
		if c.Group != nil && groups[c.Group] == nil {
			g := *c.Group
			if s.group != nil {
				s.group(&g)
			}
			groups[c.Group] = &g
		}
		c.Group = groups[c.Group]
	}
	if s.forgetsOnStepBack && s.clock().After(s.last) {
		s.last = s.clock()
	}
	err := s.takeAll(ctx, checks, results)
	for i := range checks {
		if s.result != nil {
			s.result(&results[i])
		}
	}
	return err
}

func (s *brokenStore) takeAll(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	switch {
	case s.oneByOne:
		for i := range checks {
			if err := s.Store.Take(ctx, checks[i:i+1], results[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case s.racy && len(checks) == 1 && !checks[0].Peek:
		return s.takeRacy(ctx, checks[0], results)
	}
	return s.Store.Take(ctx, checks, results)
}

// takeRacy looks, and takes a moment later whatever has happened meanwhile.
func (s *brokenStore) takeRacy(ctx context.Context, c weir.Check, results []weir.Result) error {
	c.Peek = true
	if err := s.Store.Take(ctx, []weir.Check{c}, results); err != nil || !results[0].Allowed {
		return err
	}
	for range 100 {
		runtime.Gosched()
	}
	c.Peek, c.Limit = false, remake(c.Limit, 1<<20, c.Limit.Algorithm())
	return s.Store.Take(ctx, []weir.Check{c}, results)
}

func (s *brokenStore) Refund(ctx context.Context, id weir.ID, charges []weir.Charge) (bool, error) {
	charges = slices.Clone(charges)
	for i := range charges {
		charges[i].Key = s.keyOf(charges[i].Key, charges[i].Limit)
	}
	if s.refund != nil {
		s.refund(&id, charges)
	}
	if s.refundByReset {
		for _, c := range charges {
			if err := s.Store.Reset(ctx, []weir.Key{c.Key}); err != nil {
				return false, err
			}
		}
		return true, nil
	}
	gave, err := s.Store.Refund(ctx, id, charges)
	return gave || s.gave, err
}

func (s *brokenStore) Reset(ctx context.Context, keys []weir.Key) error {
	if s.resetsNone {
		return nil
	}
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i] = s.keyOf(keys[i], anyLimit)
		if s.resetByPattern && strings.HasSuffix(keys[i].Identity, "*") {
			for letter := range rune(math.MaxInt8) {
				k := keys[i]
				k.Identity = strings.TrimSuffix(k.Identity, "*") + string(letter)
				keys = append(keys, k)
			}
		}
	}
	return s.Store.Reset(ctx, keys)
}

var anyLimit, _ = weir.NewLimit(weir.PerMinute(10))
