package policy

import (
	"slices"
)

// clients knows the callers.
type clients struct {
	source keySource
	plans  []string // names; a plan is an index into it

	listed map[string]client // by API key; nil without a list
	header string            // that names the plan; "" without
	lookup PlanSource        // nil without

	believed client // a key where there is no list; its identity is made from the key
	unknown  client
	missing  client
}

// client is a caller as a request shows it.
type client struct {
	standing standing
	identity string // "key:…"; "" is by address
	plan     int    // -1 is none: layers whose limit is plan do not apply
	deny     bool
}

// standing says how a caller is known.
type standing uint8

const (
	missing  standing = iota // no key was sent
	unlisted                 // a key that is not on the list
	believed                 // a key, and there is no list
	listed
)

var standings = [...]string{missing: "no API key", unlisted: "an API key that is not listed", believed: "an API key", listed: "a listed API key"}

func (s standing) String() string { return standings[s] }

// defaultPlan is the plan of callers whom nothing puts on another one.
const defaultPlan = "free"

// resolve says who the request's caller is.
func (c *clients) resolve(r *request) client {
	key, ok := r.key()
	if !ok {
		return c.missing
	}
	if c.listed != nil {
		if known, ok := c.listed[key]; ok {
			return known
		}
		return c.unknown
	}
	plan := -1
	switch {
	case c.header != "":
		plan = slices.Index(c.plans, r.trusted(c.header))
	case c.lookup != nil:
		if name, ok := c.lookup.Plan(key); ok {
			plan = slices.Index(c.plans, name)
		}
	case c.believed.standing == believed:
		who := c.believed
		who.identity = r.p.keyIdentity(key)
		return who
	}
	if plan < 0 {
		return c.unknown
	}
	return client{standing: listed, identity: r.p.keyIdentity(key), plan: plan}
}
