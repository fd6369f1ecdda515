package policy

import (
	"net/netip"
	"slices"
)

// minSecret is the length in bytes below which a secret can be guessed.
const minSecret = 16

// warn says what is valid but was probably not meant.
func (k *compiler) warn(p *Policy) {
	layers := p.layers // all of them, whatever runs here
	k.warnRoom()
	k.warnTrust()
	k.warnSecret(layers)
	k.warnHeaders(layers)
	k.warnPlans(p)
	k.warnLeases(layers)
	for i, l := range layers {
		k.warnReach(&k.c.Layers[i], l)
		if !bounded(layers[:i]) {
			k.warnInvented(&k.c.Layers[i], l, &p.clients)
		}
	}
}

// fewKeys is the max_keys below which a handful of callers can push others out.
const fewKeys = 1000

// warnRoom: a store that is full forgets callers.
func (k *compiler) warnRoom() {
	if k.c.MaxKeys > 0 && k.c.MaxKeys < fewKeys {
		k.doubt("max_keys", "leave it out: the default is 1048576", "max_keys is %d, so few callers fill the store", k.c.MaxKeys)
	}
}

// warnTrust: where everybody is trusted, every caller chooses its own address.
func (k *compiler) warnTrust() {
	for i, text := range k.c.TrustedProxies {
		if one, err := netip.ParsePrefix(text); err == nil && one.Bits() == 0 {
			k.doubt(inList("trusted_proxies", i), "list the addresses of the proxies", "%s trusts everybody: any caller can name its own address, cost and plan", text)
		}
	}
}

// warnSecret: hashed without a secret, a key can be found by trying.
func (k *compiler) warnSecret(layers []*layer) {
	secret := len(k.secret())
	switch {
	case !slices.ContainsFunc(layers, (*layer).hashes):
	case secret == 0:
		k.doubt("secret", "set secret or WEIR_SECRET, the same for all processes on one store", "no secret: API keys are hashed with plain SHA-256")
	case secret < minSecret:
		k.doubt("secret", "give it 16 characters or more", "the secret has %d characters and can be guessed", secret)
	}
}

// hashes reports whether the layer's identities hold hashes of credentials.
func (l *layer) hashes() bool {
	return slices.ContainsFunc(l.by.parts, func(p part) bool { return p.kind == "client" || p.secret })
}

// warnHeaders: where nobody is trusted, no header names a cost or a plan.
func (k *compiler) warnHeaders(layers []*layer) {
	const hint = "list the proxies that set it under trusted_proxies"
	if len(k.c.TrustedProxies) > 0 {
		return
	}
	if k.c.Clients.Header != "" {
		k.doubt("clients.header", hint, "nobody is trusted to name a plan, so every key is unknown")
	}
	for i, l := range layers {
		switch r := slices.IndexFunc(l.rules, rule.costsByHeader); {
		case k.c.Layers[i].Cost.Header != "":
			k.doubt(inField(l.path, "cost"), hint, "nobody is trusted to name a cost, so it is always 1")
		case r >= 0:
			k.doubt(inField(l.rules[r].path, "cost"), hint, "nobody is trusted to name a cost, so it is always 1")
		}
	}
}

func (r rule) costsByHeader() bool {
	byHeader := func(list []limit) bool {
		return slices.ContainsFunc(list, func(l limit) bool { return l.cost.header != "" })
	}
	return slices.ContainsFunc(r.live.byPlan, byHeader) || slices.ContainsFunc(r.candidates.byPlan, byHeader)
}

// warnPlans: a plan that nobody can be on was meant for someone.
func (k *compiler) warnPlans(p *Policy) {
	known := &p.clients
	if k.c.source.file == defaultFile || known.header != "" || known.lookup != nil {
		return
	}
	used := make([]bool, len(k.plans)+1) // the last is for none
	use := func(c client) { used[(c.plan+len(used))%len(used)] = true }
	use(known.missing)
	use(known.unknown)
	use(known.believed)
	for _, c := range known.listed {
		use(c)
	}
	for i, name := range k.plans {
		if !used[i] {
			k.doubt(asKey(inMap("plans", name)), "list its keys under clients", "nobody is on the plan %q", name)
		}
	}
	if k.c.Clients.Unknown == "deny" && known.listed == nil {
		k.doubt("clients.unknown", "list keys under clients.plan or clients.file", "no keys are listed, so every key is denied")
	}
}

// warnLeases: what is never taken ahead was meant to be.
func (k *compiler) warnLeases(layers []*layer) {
	if !slices.ContainsFunc(layers, (*layer).leases) {
		for i, l := range layers {
			if k.c.Layers[i].Lease > 0 {
				k.doubt(inField(l.path, "lease"), "raise it, or leave it out", "layer %s has no limit that is large enough for a lease", l.name)
			}
		}
		return
	}
	for _, l := range layers {
		if !l.leases() && l.routes == nil && l.match.any() {
			k.doubt(l.path, "give it one too, or none to the others", "layer %s has no lease, so every request that it counts is asked for", l.name)
		}
	}
}

// leases reports whether a limit of the layer has a lease.
func (l *layer) leases() bool {
	return slices.ContainsFunc(l.rules, func(r rule) bool {
		return slices.ContainsFunc(r.live.byPlan, func(list []limit) bool {
			return slices.ContainsFunc(list, func(one limit) bool { return one.limit.Lease() > 0 })
		})
	})
}

// warnReach: what can never match was written for something else.
func (k *compiler) warnReach(written *Layer, l *layer) {
	reachable := slices.ContainsFunc(l.rules, func(r rule) bool { return r.never == "" })
	if l.routes == nil {
		reachable = k.matchable(written, l)
	}
	if !reachable {
		k.doubt(l.path, "no request fits all of match and routes", "layer %s can never match", l.name)
		return
	}
	for _, r := range l.rules {
		if r.never != "" {
			k.doubt(asKey(r.path), "widen "+r.never+" or remove the route", "layer %s: the route %q can never match, because of %s", l.name, r.pattern, r.never)
		}
	}
}

// matchable reports whether a pattern of match.path goes with the other fields
// of match.
func (k *compiler) matchable(written *Layer, l *layer) bool {
	return len(written.Match.Path) == 0 || slices.ContainsFunc(written.Match.Path, func(text string) bool {
		p, problem := parsePattern(text)
		return problem == nil && l.match.never(p, nil) == ""
	})
}

// bounded reports whether some layer counts every request by its address and
// enforces it.
func bounded(layers []*layer) bool {
	return slices.ContainsFunc(layers, func(l *layer) bool {
		return !l.shadow && l.routes == nil && l.match.any() && len(l.by.parts) == 1 && l.by.parts[0].kind == "ip" && len(l.rules[0].live.of(0)) > 0
	})
}

// warnInvented: a layer that counts by what the caller may invent is passed with
// fresh inventions, unless a layer by address stands before it.
func (k *compiler) warnInvented(written *Layer, l *layer, known *clients) {
	for i, part := range l.by.parts {
		what := ""
		switch {
		case part.kind == "ip" || part.kind == "all":
			return // the address, or everybody, bounds the rest
		case part.kind == "client" && known.believed.standing == believed:
			what = "API keys"
		case part.kind == "client":
			return
		case part.kind == "header":
			what = "values of " + part.header
		case part.kind == "host" && len(written.Match.Host) == 0:
			what = "host names"
		default:
			continue
		}
		k.doubt(inList(inField(l.path, "by"), i), "list the keys under clients, or put a layer by ip before this one",
			"layer %s counts before the caller is known: whoever invents %s gets a fresh bucket for each", l.name, what)
		return
	}
}
