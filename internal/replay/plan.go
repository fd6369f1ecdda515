package replay

import (
	"slices"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/policy"
)

// plan is what the policy makes of an origin's requests of one kind, worked out
// once: who it is, which checks it meets, and where their states are.
type plan struct {
	*outline
	next   *plan // of the same origin, for another kind
	kind   int32
	who    int32 // the caller, by the tally's roster
	mets   []*met
	inside [2]*met // mets, where there are no more: in the plan's own cache line
}

// outline is what plans have in common that differ only in who it is. The part of
// its checks that belongs to the request at hand is filled in for each.
type outline struct {
	denied string // why the request is refused if no check refuses it
	checks []check
}

// check is one limit that a request meets.
type check struct {
	terms
	met *met // of the request at hand, as are

	allowed bool // it passes by itself
	takes   bool // its account is asked to take, which it does if it passes
}

// terms are what a check says, whomever it meets.
type terms struct {
	limit  *algorithm.Limit
	cost   int64
	charge weir.Charging
	shadow bool
	last   bool // of its group
	tried  bool // at other counts
}

// maxPlans is how many plans an origin keeps.
const maxPlans = 16

// planner makes plans.
type planner struct {
	policy   *policy.Policy
	resolver clientip.Resolver
	tally    *tally

	kinds    map[string]int32
	outlines []*outline // the last one of each kind
	plans    slab[plan]

	buf    []byte
	checks []weir.Check
	terms  []terms
}

func newPlanner(p *policy.Policy, t *tally) *planner {
	return &planner{
		policy: p, resolver: clientip.Resolver{Trusted: p.TrustedProxies(), Header: clientip.XForwardedFor}, tally: t,
		kinds: map[string]int32{},
	}
}

// plan is the request's.
func (p *planner) plan(r *request) (*plan, error) {
	from, kind := r.from, p.kind(r.to)
	for known := from.plans; known != nil; known = known.next {
		if known.kind == kind {
			return known, nil
		}
	}
	made, err := p.make(r, kind)
	if err != nil {
		return nil, err
	}
	if from.planned == maxPlans {
		from.plans, from.planned = nil, 0
	}
	made.next = from.plans
	from.plans = made
	from.planned++
	return made, nil
}

func (p *planner) kind(to *target) int32 {
	if to.kind == 0 {
		p.buf = p.policy.AppendKind(p.buf[:0], &policy.Attributes{Method: to.method, Host: to.host, Path: to.path, Header: to.header})
		to.kind = p.kinds[string(p.buf)]
		if to.kind == 0 {
			to.kind = int32(len(p.kinds) + 1)
			p.kinds[string(p.buf)] = to.kind
		}
	}
	return to.kind
}

func (p *planner) make(r *request, kind int32) (*plan, error) {
	a := attributes(r, &p.resolver)
	var denied string
	p.checks, denied = p.policy.Resolve(&a, p.checks[:0])
	if err := weir.ValidateChecks(p.checks); err != nil {
		return nil, err
	}
	who := p.tally.number(p.policy.Caller(&a))
	made := p.compile(kind, p.checks, denied)
	made.who = who
	return made, nil
}

func (p *planner) compile(kind int32, checks []weir.Check, denied string) *plan {
	made := p.plans.new()
	made.kind, made.outline = kind, p.outline(kind, checks, denied)
	made.mets = made.inside[:0]
	for i := range checks {
		made.mets = append(made.mets, p.tally.meet(&checks[i]))
	}
	return made
}

// outline is the one that the plan before of that kind had, where that fits too.
func (p *planner) outline(kind int32, checks []weir.Check, denied string) *outline {
	for int(kind) >= len(p.outlines) {
		p.outlines = append(p.outlines, new(outline))
	}
	p.terms = appendTerms(p.terms[:0], checks)
	last := p.outlines[kind]
	if last.denied == denied && slices.EqualFunc(last.checks, p.terms, func(a check, b terms) bool { return a.terms == b }) {
		return last
	}
	made := &outline{denied: denied, checks: make([]check, len(checks))}
	for i := range made.checks {
		made.checks[i].terms = p.terms[i]
	}
	p.outlines[kind] = made
	return made
}

func appendTerms(all []terms, checks []weir.Check) []terms {
	for i := range checks {
		c := &checks[i]
		one := terms{limit: c.Limit.Compiled(), cost: c.Cost}
		one.tried = !c.Limit.Blocked() && c.Cost > 0 // a cost of 0 takes nothing
		one.last = i+1 == len(checks) || c.Group == nil || c.Group != checks[i+1].Group
		if c.Group != nil {
			one.charge, one.shadow = c.Group.Charge, c.Group.Shadow
		}
		all = append(all, one)
	}
	return all
}

// place puts the states that the plan meets into its checks.
func (p *plan) place() {
	for i, m := range p.mets {
		p.checks[i].met = m
	}
}
