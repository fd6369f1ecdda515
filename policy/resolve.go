package policy

import (
	"context"
	"fmt"

	"github.com/weirhq/weir"
)

// Resolve appends the checks that the request must pass, in the order of the
// layers; the checks of one layer stand together. Where denied is not empty a
// list or a rule about identities refuses the request: [weir.Deny] words that,
// and the checks are to be dropped.
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

// Decide resolves the request and asks the store. The error is the store's: no
// decision was made.
func (p *Policy) Decide(ctx context.Context, s weir.Store, a *Attributes) (weir.Decision, error) {
	checks, denied := p.Resolve(a, make([]weir.Check, 0, 2*len(p.layers)))
	id := weir.NewID()
	if denied != "" {
		return weir.Deny(id, denied), nil
	}
	if len(checks) == 0 {
		return weir.Decide(id, nil, nil), nil
	}
	results := make([]weir.Result, len(checks))
	if err := s.Take(ctx, checks, results); err != nil {
		return weir.Decision{}, fmt.Errorf("policy: take: %w", err)
	}
	return weir.Decide(id, checks, results), nil
}
