package policy

import (
	"slices"

	"github.com/weirhq/weir"
)

// layer is one compiled layer.
type layer struct {
	name    string
	path    string // in the configuration
	by      by
	match   matcher
	routes  *mux // nil: rules[0] is for all that match
	rules   []rule
	shadow  bool
	onError weir.OnError
	charge  weir.Charging

	allow, deny callers
	limits      []string // all values of weir.Key.Limit, for a reset

	// What it says to callers that it refuses without asking a limit.
	denies [denyReasons]string
	denied weir.Check // the same, in shadow
}

// rule is what holds for one route, or for all.
type rule struct {
	pattern    string // "" where there are no routes
	live       set
	candidates set

	path  string // in the configuration
	never string // the field by which it can never match; "" if it can
}

// set holds limits: one list, or one for each plan.
type set struct {
	planned bool
	byPlan  [][]limit
}

// of is the list for a caller on a plan.
func (s *set) of(plan int) []limit {
	switch {
	case !s.planned:
		return s.byPlan[0]
	case plan < 0:
		return nil
	}
	return s.byPlan[plan]
}

// most is the largest number of checks that one request can meet in the layer.
func (l *layer) most() int {
	longest := func(lists [][]limit) (n int) {
		for _, list := range lists {
			n = max(n, len(list))
		}
		return n
	}
	most := 0
	for i := range l.rules {
		most = max(most, longest(l.rules[i].live.byPlan)+longest(l.rules[i].candidates.byPlan))
	}
	return most
}

// finish fills in what follows from the limits.
func (l *layer) finish() {
	groups := map[weir.Group]*weir.Group{}
	candidates := map[weir.Group]*weir.Group{}
	for i := range l.rules {
		r := &l.rules[i]
		l.place(r.pattern, &r.live, "", groups)
		l.place(r.pattern, &r.candidates, "~candidate", candidates)
	}
	slices.Sort(l.limits)
	l.limits = slices.Compact(l.limits)
	l.refusals()
}

// place gives the limits of a set their keys and groups. The key's limit is
// PATTERN#NAME, PATTERN alone for the default name, NAME alone without routes:
// neither a name nor "~candidate" holds a "#", so no two meet. Limits are of one group if nothing sets them apart.
func (l *layer) place(pattern string, s *set, suffix string, groups map[weir.Group]*weir.Group) {
	for _, list := range s.byPlan {
		nameDefault(list)
		for i := range list {
			one := &list[i]
			switch {
			case pattern == "":
				one.key = one.name + suffix
			case one.name == defaultName && suffix == "":
				one.key = pattern
			default:
				one.key = pattern + "#" + one.name + suffix
			}
			kind := weir.Group{Charge: l.charge, Shadow: one.shadow, OnError: one.onError}
			if groups[kind] == nil {
				groups[kind] = &kind
			}
			one.group = groups[kind]
			l.limits = append(l.limits, one.key)
		}
	}
}
