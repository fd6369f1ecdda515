package replay

import "github.com/weirhq/weir"

// decide decides and charges a request as [weir.MemoryStore] does, which a test
// compares it with. It reports whether every enforced check passes, and tells of
// each check whether it does.
func (p *plan) decide(now int64) (allowed bool) {
	p.place()
	if len(p.checks) == 1 && p.denied == "" {
		c := &p.checks[0]
		c.allowed = c.met.account.take(c.limit, now, c.cost)
		return c.allowed || c.shadow
	}
	allowed = true
	waiting := false // there are groups that are charged only if all admit
	for rest := p.checks; len(rest) > 0; {
		var group []check
		group, rest = firstGroup(rest)
		waiting = waiting || group[0].charge == weir.Admitted
		allowed = decideGroup(group, now, allowed)
	}
	if waiting && (!allowed || p.denied != "") {
		p.giveBackAdmitted()
	}
	for i := range p.checks {
		if c := &p.checks[i]; c.takes {
			c.met.account.take(c.limit, now, c.cost)
		}
	}
	return allowed
}

func firstGroup(checks []check) (group, rest []check) {
	n := 1
	for !checks[n-1].last {
		n++
	}
	return checks[:n], checks[n:]
}

// decideGroup says which of the group's checks pass and which are to take. so far
// is whether the groups before admit, and the result whether they and this one do.
func decideGroup(group []check, now int64, soFar bool) bool {
	passes := true
	for i := range group {
		c := &group[i]
		c.allowed = c.met.account.asks(c.limit, now, c.cost)
		c.takes = soFar || c.charge == weir.Independent
		passes = passes && c.allowed
	}
	if !passes && group[0].charge != weir.Independent {
		leaveUncharged(group)
	}
	return soFar && (passes || group[0].shadow)
}

// leaveUncharged leaves those that pass as they are, unless they count refused calls
// too. Those that refuse are asked to take: a refusal may change a state.
func leaveUncharged(group []check) {
	for i := range group {
		c := &group[i]
		c.takes = c.takes && (!c.allowed || c.limit.CountAll)
	}
}

func (p *plan) giveBackAdmitted() {
	for i := range p.checks {
		if p.checks[i].charge == weir.Admitted {
			leaveUncharged(p.checks[i : i+1])
		}
	}
}
