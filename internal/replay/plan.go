package replay

import (
	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/policy"
)

// plan is what the policy makes of an origin's requests of one kind, worked out
// once: who it is, which checks it meets, and where their states are.
type plan struct {
	who    int32  // the caller, by the tally's roster
	denied string // why the request is refused if no check refuses it
	checks []check
}

// known is a plan for requests of a kind.
type known struct {
	kind int32
	plan *plan
}

// check is one limit that a request meets.
type check struct {
	account *account
	limit   *algorithm.Limit
	cost    int64
	met     *met
	charge  weir.Charging
	shadow  bool
	last    bool // of its group
	tried   bool // at other counts

	allowed bool // it passes by itself; of the request at hand, as is takes
	takes   bool // its account is asked to take, which it does if it passes
}

// maxPlans is how many plans an origin keeps.
const maxPlans = 16

// planner makes plans.
type planner struct {
	policy   *policy.Policy
	resolver clientip.Resolver
	tally    *tally

	kinds  map[string]int32
	buf    []byte
	checks []weir.Check
}

func newPlanner(p *policy.Policy, t *tally) *planner {
	return &planner{
		policy: p, resolver: clientip.Resolver{Trusted: p.TrustedProxies(), Header: clientip.XForwardedFor}, tally: t,
		kinds: map[string]int32{},
	}
}

// plan is the request's.
func (p *planner) plan(r *request) (*plan, error) {
	kind := p.kind(r.to)
	for i := range r.from.plans {
		if r.from.plans[i].kind == kind {
			return r.from.plans[i].plan, nil
		}
	}
	made, err := p.make(r)
	if err != nil {
		return nil, err
	}
	if len(r.from.plans) == maxPlans {
		r.from.plans = nil
	}
	r.from.plans = append(r.from.plans, known{kind, made})
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

func (p *planner) make(r *request) (*plan, error) {
	a := attributes(r, &p.resolver)
	var denied string
	p.checks, denied = p.policy.Resolve(&a, p.checks[:0])
	if err := weir.ValidateChecks(p.checks); err != nil {
		return nil, err
	}
	who := p.tally.number(p.policy.Caller(&a))
	made := p.compile(p.checks)
	made.who, made.denied = who, denied
	return made, nil
}

func (p *planner) compile(checks []weir.Check) *plan {
	made := &plan{checks: make([]check, len(checks))}
	for i := range checks {
		made.checks[i] = p.check(&checks[i])
		made.checks[i].last = i+1 == len(checks) || checks[i].Group == nil || checks[i].Group != checks[i+1].Group
	}
	return made
}

func (p *planner) check(c *weir.Check) check {
	made := check{limit: c.Limit.Compiled(), cost: c.Cost}
	made.met, made.account = p.tally.meet(c)
	made.tried = made.met.row.trials != nil && c.Cost > 0 // a cost of 0 takes nothing
	if c.Group != nil {
		made.charge, made.shadow = c.Group.Charge, c.Group.Shadow
	}
	return made
}
