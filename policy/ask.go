package policy

import "github.com/weirhq/weir"

// answer is what a layer says to a request.
type answer struct {
	verdict  verdict
	why      denyReason // of refuses
	rule     *rule
	plan     int // -1 is none
	identity string
}

type verdict uint8

const (
	elsewhere   verdict = iota // match does not fit
	noRoute                    // no route fits
	allowed                    // the caller is on the allow list
	keyless                    // limit is plan, and the caller has none
	unlimited                  // there is nothing to count
	addressless                // unknown_ip: skip
	counts
	refuses
)

type denyReason uint8

const (
	onList denyReason = iota
	unknownKey
	missingKey
	unknownAddress
	denyReasons
)

const denyList = "the caller is on the deny list"

// blocked is the limit of those that are refused without one.
var blocked, _ = weir.NewLimit(weir.PerSecond(0))

// refusals words what the layer says to those it refuses without a limit.
func (l *layer) refusals() {
	l.denies = [denyReasons]string{
		onList:         l.name + ": the caller is on the deny list",
		unknownKey:     l.name + ": unknown API key",
		missingKey:     l.name + ": no API key",
		unknownAddress: l.name + ": the client's address is unknown",
	}
	l.denied = weir.Check{Key: weir.Key{Layer: l.name, Limit: "denied", Identity: "all"}, Limit: blocked, Cost: 1, Group: &weir.Group{Shadow: true}}
}

// ask is the one place where it is decided whether a layer counts a request, and
// as whose.
func (l *layer) ask(r *request) answer {
	rule, verdict := l.applies(r)
	if rule == nil {
		return answer{verdict: verdict}
	}
	if l.deny.hold(r) {
		return answer{verdict: refuses, why: onList, rule: rule}
	}
	if l.allow.hold(r) {
		return answer{verdict: allowed, rule: rule}
	}
	a := answer{verdict: counts, rule: rule, plan: -1}
	if l.by.client || rule.live.planned || rule.candidates.planned {
		who := r.client()
		a.plan = who.plan
		switch byKey := l.by.client || rule.live.planned; {
		case byKey && who.deny && who.standing == missing:
			return answer{verdict: refuses, why: missingKey, rule: rule}
		case byKey && who.deny:
			return answer{verdict: refuses, why: unknownKey, rule: rule}
		case rule.live.planned && a.plan < 0:
			return answer{verdict: keyless, rule: rule}
		}
	}
	if len(rule.live.of(a.plan)) == 0 && len(rule.candidates.of(a.plan)) == 0 {
		a.verdict = unlimited
		return a
	}
	return l.identify(r, a)
}

// applies finds the rule that the request falls under.
func (l *layer) applies(r *request) (*rule, verdict) {
	i, verdict := l.ruleOf(r)
	if i < 0 {
		return nil, verdict
	}
	return &l.rules[i], verdict
}

// ruleOf is the rule's index; -1 for none.
func (l *layer) ruleOf(r *request) (int, verdict) {
	if !l.match.matches(r) {
		return -1, elsewhere
	}
	if l.routes == nil {
		return 0, counts
	}
	i := l.routes.match(r.host(), r.a.Method, r.path())
	if i < 0 {
		return -1, noRoute
	}
	return i, counts
}

func (l *layer) identify(r *request, a answer) answer {
	var ok bool
	if a.identity, ok = r.identity(&l.by); ok {
		return a
	}
	if r.p.skipUnknownIP {
		a.verdict = addressless
		return a
	}
	return answer{verdict: refuses, why: unknownAddress, rule: a.rule}
}
