package policy

import (
	"context"
	"fmt"

	"github.com/weirhq/weir"
)

// Resolve appends the checks that the request must pass, in the order of the
// layers; the checks of one layer stand together. Where denied is not empty a
// list or a rule about identities refuses the request, and the checks are those
// of the layers before it: [Policy.Decide] charges them, so that to guess keys
// costs what any request does.
func (p *Policy) Resolve(a *Attributes, checks []weir.Check) (_ []weir.Check, denied string) {
	r := request{p: p, a: a}
	if p.deny.hold(&r) {
		return checks, denyList
	}
	if p.allow.hold(&r) {
		return checks, ""
	}
	for _, l := range p.layers {
		answer := l.ask(&r)
		switch answer.verdict {
		case counts:
			checks = r.append(checks, l, &answer)
		case refuses:
			if !l.shadow {
				return checks, l.denies[answer.why]
			}
			checks = append(checks, l.denied)
		}
	}
	return checks, ""
}

// append appends the layer's checks: enforced, shadow, candidates.
func (r *request) append(checks []weir.Check, l *layer, answer *answer) []weir.Check {
	for _, set := range [2]*set{&answer.rule.live, &answer.rule.candidates} {
		limits := set.of(answer.plan)
		for i := range limits {
			one := &limits[i]
			checks = append(checks, weir.Check{
				Key:   weir.Key{Layer: l.name, Limit: one.key, Identity: answer.identity},
				Limit: one.limit, Cost: one.cost.of(r), Group: one.group, Peek: r.a.Peek,
			})
		}
	}
	return checks
}

// Decide resolves the request and asks the store. A request that a list or a
// rule about identities refuses meets the layers before that one first: where one
// of them refuses, it is refused as any other; else it is denied, and what they
// charged stays charged, except where charge is admitted. The decision holds
// their results. The error is the store's: no decision was made.
func (p *Policy) Decide(ctx context.Context, s weir.Store, a *Attributes) (weir.Decision, error) {
	room := a.Room
	if room == nil {
		room = new(Room)
	}
	checks, denied := p.Resolve(a, room.noChecks(p.most))
	id, n := weir.NewID(), len(checks)
	switch {
	case n == 0 && denied != "":
		return weir.Deny(id, denied), nil
	case n == 0:
		return weir.Decide(id, nil, nil), nil
	case denied != "":
		checks = append(checks, refusalAfter(&checks[n-1]))
	}
	results := room.resultsOf(checks)
	if err := s.Take(ctx, checks, results); err != nil {
		return weir.Decision{}, fmt.Errorf("policy: take: %w", err)
	}
	d := weir.Decide(id, checks[:n:n], results[:n:n])
	if denied != "" && d.Allowed {
		d.Allowed, d.RetryAfter, d.Denied = false, weir.Never, denied
	}
	return d, nil
}

// refusalAfter is a check that refuses, for the store to know that the request
// is not admitted: it charges the layers before as it does for any refusal. No
// state has its key, and it makes none; it is beside the last one's, in a
// cluster too.
func refusalAfter(last *weir.Check) weir.Check {
	key := last.Key
	key.Limit += "~denied"
	return weir.Check{Key: key, Limit: blocked, Cost: 1, Peek: last.Peek}
}
