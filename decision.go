package weir

import "time"

// Decision is what the results of a request's checks come to.
type Decision struct {
	ID ID
	// At is the instant of the decision, µs since the Unix epoch; 0 when nothing
	// was checked.
	At int64
	// Allowed says whether every enforced check passes.
	Allowed bool
	// RetryAfter is the longest wait over all enforced checks after what this
	// call charged: whoever waits it and comes alone passes them all. 0 when
	// allowed, [Never] when no wait is long enough.
	RetryAfter time.Duration
	// Tightest is the index of the check that rate-limit headers speak of: when
	// refused, the one with the longest wait, of equals one that refused; else the
	// one with the smallest remaining, then the first. -1 when nothing enforced was checked.
	Tightest int
	// Refused is the index of the first enforced check that refused, or -1.
	Refused int
	// Denied says why a list or a rule about identities refused the request,
	// such as "gateway: unknown API key"; "" where that is not so. No wait helps.
	// Checks are then those of the layers before, which were asked and charged.
	Denied string
	// Degraded says that a check was not decided by the store but by what stands
	// in for it.
	Degraded bool
	// Checks and Results stand side by side.
	Checks  []Check
	Results []Result
}

// Decide folds the results of a request's checks. Shadow groups are reported in
// Results and have no other part in it.
func Decide(id ID, checks []Check, results []Result) Decision {
	d := Decision{ID: id, Allowed: true, Tightest: -1, Refused: -1, Checks: checks, Results: results}
	for i := range results {
		results[i].ID = id
		d.At = results[i].At
		d.Degraded = d.Degraded || results[i].Degraded
		if checks[i].Group.shadow() {
			continue
		}
		if !results[i].Allowed && d.Refused < 0 {
			d.Allowed, d.Refused = false, i
		}
	}
	for i := range results {
		if !checks[i].Group.shadow() && !results[i].unseen() && (d.Tightest < 0 || d.tighter(i)) {
			d.Tightest = i
		}
	}
	if !d.Allowed {
		d.RetryAfter = results[d.Tightest].NextAfter
	}
	return d
}

// Deny is the decision about a request that is refused before any limit is asked.
func Deny(id ID, why string) Decision {
	return Decision{ID: id, RetryAfter: Never, Tightest: -1, Refused: -1, Denied: why}
}

// tighter reports whether results[i] is tighter than the tightest so far.
func (d *Decision) tighter(i int) bool {
	if !d.Allowed {
		longer := d.wait(i) - d.wait(d.Tightest)
		return longer > 0 || longer == 0 && d.Results[d.Tightest].Allowed && !d.Results[i].Allowed
	}
	return d.Results[i].Remaining < d.Results[d.Tightest].Remaining
}

// wait is how long check i has to wait before it passes again. A cost of 0 always
// passes; its NextAfter is that of a cost of 1.
func (d *Decision) wait(i int) time.Duration {
	if d.Checks[i].Cost == 0 {
		return 0
	}
	return d.Results[i].NextAfter
}

// unseen reports whether the request was let pass without a decision: there are
// no figures to tell.
func (r *Result) unseen() bool { return r.Degraded && r.Allowed && r.Limit == 0 }

func (g *Group) shadow() bool { return g != nil && g.Shadow }

// Charges is what the decision took, for a refund.
func (d *Decision) Charges() []Charge {
	var charges []Charge
	for i, r := range d.Results {
		if r.Charged {
			charges = append(charges, Charged(d.Checks[i], r))
		}
	}
	return charges
}
