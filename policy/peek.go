package policy

import (
	"slices"

	"github.com/weirhq/weir"
)

// Peeks are checks that ask, without charging, what a caller has left under each
// limit of a layer; caller is as in [Policy.Keys], whose errors these are. Where
// the limit depends on a plan and the caller's is not known, there is a check for
// each plan's. They are independent of each other.
func (p *Policy) Peeks(layer, caller string) ([]weir.Check, error) {
	keys, err := p.Keys(layer, caller)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	l, identity := p.layer(layer), keys[0].Identity
	plan, known := p.planOf(caller, identity)
	var checks []weir.Check
	for i := range l.rules {
		for _, s := range []*set{&l.rules[i].live, &l.rules[i].candidates} {
			lists := s.byPlan
			if s.planned && known {
				lists = s.byPlan[plan : plan+1]
			}
			checks = appendPeeks(checks, layer, identity, lists)
		}
	}
	return checks, nil
}

func appendPeeks(checks []weir.Check, layer, identity string, lists [][]limit) []weir.Check {
	for _, list := range lists {
		for i := range list {
			one := &list[i]
			c := weir.Check{
				Key: weir.Key{Layer: layer, Limit: one.key, Identity: identity}, Limit: one.limit, Cost: 1, Peek: true,
				Group: &weir.Group{Charge: weir.Independent, Shadow: one.shadow, OnError: one.onError},
			}
			same := func(o weir.Check) bool { return o.Key == c.Key && o.Limit.String() == c.Limit.String() }
			if !slices.ContainsFunc(checks, same) {
				checks = append(checks, c)
			}
		}
	}
	return checks
}

// planOf is the plan of a listed API key, by itself or by its identity.
func (p *Policy) planOf(caller, identity string) (plan int, known bool) {
	if c, listed := p.clients.listed[caller]; listed {
		return c.plan, c.plan >= 0
	}
	for _, c := range p.clients.listed {
		if c.identity == identity {
			return c.plan, c.plan >= 0
		}
	}
	return 0, false
}
