package policy

import (
	"cmp"
	"fmt"
	"strings"
)

// Explanation says what a policy makes of a request: which layers count it, as
// whose, and under which limits. It shows no credential: API keys stand in it as
// hashed identities.
type Explanation struct {
	Method string `json:"method"`
	Host   string `json:"host"`
	// Path is the path that patterns were matched against.
	Path string `json:"path"`
	// Address is the address's identity; "" where it is not known.
	Address string `json:"address,omitempty"`
	// Client says how the caller is known, such as "a listed API key".
	Client string `json:"client"`
	// Plan is the caller's plan; "" without one.
	Plan string `json:"plan,omitempty"`
	// Allowed says that the request is on the allow list: no layer counts it.
	Allowed bool `json:"allowed,omitempty"`
	// Denied says why the request is refused before any limit is asked, as in
	// [github.com/weirhq/weir.Decision]; "" where it is not.
	Denied string             `json:"denied,omitempty"`
	Layers []LayerExplanation `json:"layers"`
}

// LayerExplanation says what one layer makes of the request.
type LayerExplanation struct {
	Name string `json:"name"`
	// Counts says whether the layer has limits for the request.
	Counts bool `json:"counts"`
	// Refuses says that the layer refuses the request without a limit; in a
	// shadow layer, that it would.
	Refuses bool `json:"refuses,omitempty"`
	// Why says why it does not count, or why it refuses; "" where it counts.
	Why string `json:"why,omitempty"`
	// Route is the pattern that matched; "" in a layer without routes.
	Route string `json:"route,omitempty"`
	// Charge says when the layer is charged, as in the configuration.
	Charge string             `json:"charge"`
	Limits []LimitExplanation `json:"limits,omitempty"`
}

// LimitExplanation is one check that the request would meet.
type LimitExplanation struct {
	// Name is the limit's stable name in keys, such as "/search#min".
	Name string `json:"name"`
	// Limit is the limit in canonical form, such as "10/min gcra burst 20", or
	// "blocked".
	Limit string `json:"limit"`
	// Key is whose requests are counted, such as "ip:203.0.113.7".
	Key string `json:"key"`
	// Cost is what the request takes, in requests.
	Cost int64 `json:"cost"`
	// Mode is "enforced", "shadow" or "candidate".
	Mode string `json:"mode"`
	// OnError says what answers while the store is out of reach.
	OnError string `json:"on_error"`
}

// Explain says what the policy makes of a request. It asks no store and charges
// nothing.
func (p *Policy) Explain(a *Attributes) Explanation {
	r := request{p: p, a: a}
	who := r.client()
	e := Explanation{Method: a.Method, Host: r.host(), Path: r.path(), Client: who.standing.String()}
	e.Address, _ = r.addressIdentity()
	if who.plan >= 0 {
		e.Plan = p.clients.plans[who.plan]
	}
	if p.deny.hold(&r) {
		e.Denied = denyList
		return e
	}
	if p.allow.hold(&r) {
		e.Allowed = true
		return e
	}
	for _, l := range p.layers {
		answer := l.ask(&r)
		e.Layers = append(e.Layers, r.explain(l, &answer))
		if answer.verdict == refuses && !l.shadow && e.Denied == "" {
			e.Denied = l.denies[answer.why]
		}
	}
	return e
}

func (r *request) explain(l *layer, a *answer) LayerExplanation {
	e := LayerExplanation{Name: l.name, Counts: a.verdict == counts, Why: verdicts[a.verdict], Charge: l.charge.String()}
	if a.verdict == refuses {
		e.Refuses, e.Why = true, l.denies[a.why]
		if l.shadow {
			e.Why = "in shadow: " + e.Why
		}
	}
	if a.rule != nil {
		e.Route = a.rule.pattern
	}
	if !e.Counts {
		return e
	}
	for i := range a.rule.live.of(a.plan) {
		e.Limits = append(e.Limits, r.explainLimit(&a.rule.live.of(a.plan)[i], a, "enforced"))
	}
	for i := range a.rule.candidates.of(a.plan) {
		e.Limits = append(e.Limits, r.explainLimit(&a.rule.candidates.of(a.plan)[i], a, "candidate"))
	}
	return e
}

func (r *request) explainLimit(l *limit, a *answer, mode string) LimitExplanation {
	if l.shadow && mode == "enforced" {
		mode = "shadow"
	}
	text := l.limit.String()
	if l.limit.Blocked() {
		text = wordBlocked
	}
	return LimitExplanation{Name: l.key, Limit: text, Key: a.identity, Cost: l.cost.of(r), Mode: mode, OnError: l.onError.String()}
}

var verdicts = [...]string{
	elsewhere:   "match does not fit the request",
	noRoute:     "no route fits the request",
	allowed:     "the caller is on the layer's allow list",
	keyless:     "the limit is plan, and the caller has none",
	unlimited:   "unlimited",
	addressless: "the client's address is unknown",
	counts:      "",
	refuses:     "",
}

// String is the explanation for people, in lines.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s%s\n", e.Method, e.Host, e.Path)
	client := e.Client
	if e.Plan != "" {
		client += ", plan " + e.Plan
	}
	line(&b, "address", cmp.Or(strings.TrimPrefix(e.Address, addressPrefix), "unknown"))
	line(&b, "client", client)
	if e.Allowed {
		line(&b, "allowed", "the caller is on the allow list: no layer counts it")
	}
	for i := range e.Layers {
		e.Layers[i].write(&b)
	}
	if e.Denied != "" {
		fmt.Fprintf(&b, "refused: %s\n", e.Denied)
	}
	return b.String()
}

func (l *LayerExplanation) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", l.Name)
	if l.Route != "" {
		line(b, "route", l.Route)
	}
	switch {
	case l.Refuses:
		line(b, "refuses", l.Why)
		return
	case !l.Counts:
		line(b, "skipped", l.Why)
		return
	}
	line(b, "charge", l.Charge)
	for _, one := range l.Limits {
		line(b, one.Mode, fmt.Sprintf("%s, cost %d, key %s, name %s, on error %s", one.Limit, one.Cost, one.Key, one.Name, one.OnError))
	}
}

func line(b *strings.Builder, label, text string) {
	fmt.Fprintf(b, "  %-10s %s\n", label, text)
}
