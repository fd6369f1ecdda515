package policy

import (
	"net/http"
	"slices"
	"strings"
)

// planWords cannot be names of plans.
var planWords = []string{"ip", "skip", "deny"}

// clients checks and compiles how callers are known.
func (k *compiler) clients(p *Policy) {
	c := &k.c.Clients
	known := &p.clients
	known.plans = k.plans
	known.source = k.keySource(c.Key)
	known.missing = k.missing(c.Missing)
	free := slices.Index(k.plans, defaultPlan)
	known.believed = client{standing: believed, plan: free}
	k.oneSource(c)
	switch {
	case c.Plan != nil:
		known.listed = k.list(p, c.Plan, func(i int) string { return inList("clients.plan", i) })
	case c.File != "":
		k.keyFile(p, c.File)
	case c.Header != "":
		known.header = http.CanonicalHeaderKey(c.Header)
		if !isToken(c.Header) {
			k.fail("clients.header", "write X-Plan", "%q is not the name of a header", c.Header)
		}
		k.sent("clients.header", c.Header, "choose another header")
	case c.Redis != "":
		known.lookup = k.planSource()
	case c.Unknown == "":
		k.believable(free)
		return
	}
	known.unknown = k.unknown(c.Unknown, known.missing)
	known.believed = known.unknown
}

// believable: where there is no list every key is believed.
func (k *compiler) believable(free int) {
	if free < 0 && k.planned() && len(k.plans) > 0 {
		k.fail("plans", "define it, or list keys under clients", "keys are not listed, so all are on the plan %s, which is not defined", defaultPlan)
	}
}

// oneSource refuses a second source of plans.
func (k *compiler) oneSource(c *Clients) {
	given := ""
	for _, s := range []struct {
		name string
		set  bool
	}{{"plan", c.Plan != nil}, {"file", c.File != ""}, {"redis", c.Redis != ""}, {"header", c.Header != ""}} {
		switch {
		case s.set && given != "":
			k.fail("clients."+s.name, "keep one of them", "plans come from clients.%s already", given)
		case s.set:
			given = s.name
		}
	}
}

// missing is what a request without a key is.
func (k *compiler) missing(rule string) client {
	c := client{standing: missing, plan: -1}
	switch rule {
	case "", "skip":
	case "deny":
		c.deny = true
	case "ip":
		c.plan = slices.Index(k.plans, defaultPlan)
		if c.plan < 0 && k.planned() {
			k.fail("clients.missing", "define it, or name a plan here", "ip counts by address on the plan %s, which is not defined", defaultPlan)
		}
	default:
		c.plan = k.plan("clients.missing", rule, planWords)
	}
	return c
}

// unknown is what a request with a key that is not listed is. ip makes it one
// without a key, so that to invent keys gains nothing.
func (k *compiler) unknown(rule string, missing client) client {
	c := client{standing: unlisted, plan: -1}
	switch rule {
	case "", "ip":
		c = missing
		c.standing = unlisted
	case "deny":
		c.deny = true
	default:
		c.plan = k.plan("clients.unknown", rule, []string{"ip", "deny"})
	}
	return c
}

// plan finds a plan by its name; words are what else can stand there.
func (k *compiler) plan(path, name string, words []string) int {
	i := slices.Index(k.plans, name)
	if i < 0 && !k.c.source.unread("plans") {
		hint := "define it under plans"
		if known := append(slices.Clone(words), k.plans...); len(known) > 0 {
			hint = choice(name, known)
			if len(known) == 1 {
				hint = "did you mean " + known[0] + "?"
			}
		}
		k.fail(path, hint, "the plan %q is not defined", name)
	}
	return i
}

// planNames checks the plans' names. What they hold is checked in the layers
// that use them, and here if none does.
func (k *compiler) planNames() {
	for i := range k.c.Plans {
		name, path := k.c.Plans[i].Key, asKey(inMap("plans", k.c.Plans[i].Key))
		switch {
		case slices.Contains(planWords, name):
			k.fail(path, "choose another name", "%q cannot be the name of a plan: it is a word in unknown and missing", name)
		case !validName(name):
			k.fail(path, nameHint, "the plan's name is %q", name)
		case slices.Contains(k.plans, name):
			k.fail(path, "keep one of them", "a second plan %q", name)
		}
		k.plans = append(k.plans, name)
	}
	if k.planned() {
		return
	}
	for i := range k.c.Plans {
		k.collect(&terms{owner: "plan " + k.plans[i], plan: -1, inPlan: true}, &k.c.Plans[i].Value, inMap("plans", k.plans[i]), Settings{})
	}
}

// planned reports whether some layer's limit is plan.
func (k *compiler) planned() bool {
	for i := range k.c.Layers {
		l := &k.c.Layers[i]
		if mentionsPlan(l.Limit) || mentionsPlan(l.Candidate) ||
			slices.ContainsFunc(l.Routes, func(e Entry[Limit]) bool { return mentionsPlan(&e.Value) }) {
			return true
		}
	}
	return false
}

func mentionsPlan(l *Limit) bool {
	return l != nil && (l.Rate == wordPlan || mentionsPlan(l.Candidate) ||
		slices.ContainsFunc(l.List, func(one Limit) bool { return mentionsPlan(&one) }))
}

// list compiles listed keys. Messages name no key: it is a credential.
func (k *compiler) list(p *Policy, keys Map[string], path func(int) string) map[string]client {
	all := make(map[string]client, len(keys))
	for i, entry := range keys {
		if _, twice := all[entry.Key]; twice || entry.Key == "" {
			k.fail(asKey(path(i)), "keep one entry for each key", "a key that is empty or listed before")
		}
		all[entry.Key] = client{standing: listed, identity: p.keyIdentity(entry.Key), plan: k.plan(path(i), entry.Value, nil)}
	}
	return all
}

func (k *compiler) planSource() PlanSource {
	if k.o.Plans == nil && k.files {
		why := "plans in a Redis hash need a redis store, and this one is not connected"
		if scheme, _, _ := strings.Cut(k.c.Store, ":"); scheme == "memory" || scheme == "" {
			why = "plans in a Redis hash need a redis store, and the store is memory:"
		}
		k.fail("clients.redis", "set store: redis://host:port, or list the keys under plan or in a file", "%s", why)
	}
	return k.o.Plans
}
