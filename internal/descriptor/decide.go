package descriptor

import (
	"context"
	"fmt"
	"time"

	"github.com/weirhq/weir"
)

// Answer is a decision with a status for each descriptor, in their order.
type Answer struct {
	// Decision is about the request as a whole; its checks are those of the
	// descriptors under a limit.
	weir.Decision
	Statuses []Status
}

// Status is what became of one descriptor.
type Status struct {
	// Rule is the limit that applies; nil where none does.
	Rule *Rule
	// Over says that the descriptor is over its limit. In shadow it never is.
	Over bool
	// Remaining hits, 0 to the largest 32-bit number; that number where the rule
	// is unlimited.
	Remaining uint32
	// Reset is when the rule's window ends. Under other algorithms it is when the
	// same hits pass again, and for a descriptor that is not over when all its
	// room is there again. 0 where no limit applies.
	Reset time.Duration

	check int // index of its check, or -1
}

// Decide decides all descriptors of a request at one instant. It must have a
// domain; one that is not configured has no limits. The error is the store's, or
// that of an override that cannot be represented.
func (s *Set) Decide(ctx context.Context, store weir.Store, r *Request) (Answer, error) {
	a := Answer{Statuses: make([]Status, len(r.Descriptors))}
	d := s.domains[r.Domain]
	if d == nil {
		a.Decision = weir.Decide(weir.NewID(), nil, nil)
		return a, nil
	}
	if err := s.resolve(d, r, a.Statuses); err != nil {
		return Answer{}, err
	}
	checks := d.checks(r, a.Statuses)
	results := make([]weir.Result, len(checks))
	if len(checks) > 0 {
		if err := store.Take(ctx, checks, results); err != nil {
			return Answer{}, fmt.Errorf("descriptor: take: %w", err)
		}
	}
	tellEach(checks, results)
	id := weir.NewID()
	if err := giveBack(ctx, store, id, r, a.Statuses, checks, results); err != nil {
		return Answer{}, err
	}
	a.Decision = weir.Decide(id, checks, results)
	a.conclude(r)
	return a, nil
}

// resolve finds the rule of each descriptor. Those whose name another rule of the
// request replaces have none.
func (s *Set) resolve(d *domain, r *Request, statuses []Status) (err error) {
	for i := range r.Descriptors {
		statuses[i].check = -1
		if len(r.Descriptors[i].Entries) > 0 {
			statuses[i].Rule = d.root.find(r.Descriptors[i].Entries)
		}
		if o := r.Descriptors[i].Override; o != nil {
			if statuses[i].Rule, err = overridden(o, statuses[i].Rule); err != nil {
				return fmt.Errorf("descriptor: override: %w", err)
			}
		}
	}
	if s.replacing {
		replace(statuses)
	}
	return nil
}

func replace(statuses []Status) {
	var names []string
	for i := range statuses {
		if rule := statuses[i].Rule; rule != nil {
			names = append(names, rule.replaces...)
		}
	}
	for _, name := range names {
		for i := range statuses {
			if rule := statuses[i].Rule; rule != nil && rule.Name == name && !rule.Unlimited {
				statuses[i].Rule = nil
			}
		}
	}
}

// checks are those of the descriptors under a limit. Their identities share one
// allocation.
func (d *domain) checks(r *Request, statuses []Status) []weir.Check {
	n := 0
	for i := range statuses {
		if rule := statuses[i].Rule; rule != nil && !rule.Unlimited {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	// These stay on the stack as long as they are not longer.
	var textOf [512]byte
	var endsOf [16]int
	checks, text, ends := make([]weir.Check, 0, n), textOf[:0], endsOf[:0]
	for i := range statuses {
		rule, in := statuses[i].Rule, &r.Descriptors[i]
		if rule == nil || rule.Unlimited {
			continue
		}
		text = appendIdentity(text, in.Entries, rule.shared)
		ends = append(ends, len(text))
		statuses[i].check = len(checks)
		checks = append(checks, rule.check(d.layer, in))
	}
	identities, start := string(text), 0
	for i := range checks {
		checks[i].Key.Identity = identities[start:ends[i]]
		start = ends[i]
	}
	return checks
}

// check asks what the descriptor asks. Without hits a window that counts all is
// asked with a cost of 0, and is over where more was counted than it admits; any
// other limit is over where one more hit would not pass.
func (r *Rule) check(layer string, in *Descriptor) weir.Check {
	c := weir.Check{Key: weir.Key{Layer: layer, Limit: r.path}, Limit: r.limit, Cost: in.Hits, Group: r.group}
	if in.Hits > 0 && !in.GiveBack {
		return c
	}
	c.Peek, c.Cost = true, 0
	if !in.GiveBack && !r.limit.CountsAll() {
		c.Cost = 1
	}
	return c
}

// conclude fills in the statuses and folds them into the decision: over means that
// a descriptor is over its limit that is no quota, or that there are quotas and
// all of them are.
func (a *Answer) conclude(r *Request) {
	over, quotas, used := -1, 0, -1
	overQuotas := 0
	for i := range a.Statuses {
		s := &a.Statuses[i]
		if s.Rule == nil {
			continue
		}
		if s.Rule.Quota {
			quotas++
		}
		if s.Rule.Unlimited {
			s.Remaining = maxNamed
			continue
		}
		s.fill(&r.Descriptors[i], &a.Results[s.check])
		switch {
		case !s.Over:
		case s.Rule.Quota:
			overQuotas++
			used = s.check
		case over < 0:
			over = s.check
		}
	}
	if over < 0 && quotas > 0 && overQuotas == quotas {
		over = used
	}
	a.settle(over, r)
}

func (s *Status) fill(in *Descriptor, r *weir.Result) {
	if r.Degraded && r.Allowed && r.Limit == 0 {
		s.Rule = nil // let pass unseen: there are no figures
		return
	}
	s.Over = !s.Rule.shadow() && !in.GiveBack && (!r.Allowed || in.Hits == 0 && r.Overrun)
	s.Remaining = uint32(min(r.Remaining, maxNamed))
	switch window := s.Rule.limit.Rate().Period; {
	case s.Rule.limit.Algorithm() == weir.FixedWindow:
		// Of a blocked limit too, which has no window of its own.
		s.Reset = window - time.Duration(r.At)*time.Microsecond%window
	case !r.Allowed && r.RetryAfter != weir.Never:
		s.Reset = r.RetryAfter
	default:
		s.Reset = r.ResetAfter
	}
}

// settle makes the decision what the protocol makes of the results. over is the
// check that refuses, or -1.
func (a *Answer) settle(over int, r *Request) {
	if over < 0 {
		a.Allowed, a.Refused, a.RetryAfter = true, -1, 0
		return
	}
	a.Allowed, a.Refused, a.Tightest, a.RetryAfter = false, over, over, a.wait(r)
}

// wait is how long until the same request, coming alone, passes: under each limit
// that is no quota, and under one of those that are.
func (a *Answer) wait(r *Request) time.Duration {
	longest, quota, quotas := time.Duration(0), weir.Never, false
	for i := range a.Statuses {
		s := &a.Statuses[i]
		switch {
		case s.Rule == nil || s.Rule.Unlimited || s.Rule.shadow():
		case s.Rule.Quota:
			quota, quotas = min(quota, s.wait(&r.Descriptors[i], a.Results)), true
		default:
			longest = max(longest, s.wait(&r.Descriptors[i], a.Results))
		}
	}
	if quotas {
		longest = max(longest, quota)
	}
	return longest
}

func (s *Status) wait(in *Descriptor, results []weir.Result) time.Duration {
	if !s.Over && (in.Hits == 0 || in.GiveBack) {
		return 0
	}
	return results[s.check].NextAfter
}
