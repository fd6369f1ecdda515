package weir

// Key names one state: whose it is, and under which limit. Its parts are kept
// apart, so that no two different keys ever meet.
type Key struct {
	// Layer is the namespace, such as "gateway". Layers never share a state.
	Layer string
	// Limit is the limit's stable name within the layer: never its value, its
	// plan or its place in a file, so that a change keeps what was used and all
	// replicas agree.
	Limit string
	// Identity is whose requests are counted, such as "ip:203.0.113.7". It may
	// hold any bytes. A credential belongs here only as a keyed hash.
	Identity string
}

// Check asks one question of a store: may this key take this cost under this
// limit now?
type Check struct {
	Key   Key
	Limit *Limit // required
	// Cost is in requests. 0 is a no-op that is allowed and tells the state;
	// below 0 is [ErrNegativeCost].
	Cost int64
	// Group is the group the check belongs to; the checks of one group stand
	// next to each other. nil is a group of its own, charged [Arriving].
	Group *Group
	// Peek asks without charging: nothing is written, no key is made, no
	// lifetime changes.
	Peek bool
}

// ValidateChecks refuses what no store decides: a negative cost
// ([ErrNegativeCost]), a check without a limit ([ErrNoLimit]), and a key named
// twice, other than by independent checks whose algorithms share a state
// ([ErrDuplicateKey]). Every Take begins with it.
func ValidateChecks(checks []Check) error {
	var seen map[Key]*Check // nil for few, where looking at all is faster
	if len(checks) > fewChecks {
		seen = make(map[Key]*Check, len(checks))
	}
	for i := range checks {
		c := &checks[i]
		switch {
		case c.Cost < 0:
			return ErrNegativeCost
		case c.Limit == nil:
			return ErrNoLimit
		}
		var other *Check
		if seen == nil {
			other = sameKey(checks[:i], &c.Key)
		} else {
			other = seen[c.Key]
		}
		switch {
		case other != nil && !c.mayShare(other): // nor may it with others then: all share with the first
			return ErrDuplicateKey
		case other == nil && seen != nil:
			seen[c.Key] = c
		}
	}
	return nil
}

const fewChecks = 16

func sameKey(checks []Check, k *Key) *Check {
	for i := range checks {
		if checks[i].Key == *k {
			return &checks[i]
		}
	}
	return nil
}

// mayShare reports whether both may claim from one key in one call.
func (c *Check) mayShare(other *Check) bool {
	a, b := c.Limit.algorithm, other.Limit.algorithm
	return c.Group.independent() && other.Group.independent() && (a == b || a.HasBurst() && b.HasBurst())
}

func (g *Group) independent() bool { return g != nil && g.Charge == Independent }

// Group is a layer as a store sees it: checks that are charged together. It is
// identified by its address.
type Group struct {
	Charge Charging
	// Shadow evaluates and charges the group's own states and reports, but
	// never refuses and never changes what the other groups do.
	Shadow bool
	// OnError says who answers for the group when the store cannot; package
	// failover heeds it. The zero value is [OnErrorLocal].
	OnError OnError
}

// OnError says who answers when a store does not in time, or not at all.
type OnError uint8

const (
	// OnErrorLocal decides in the process's memory, by the same limit.
	OnErrorLocal OnError = iota
	// OnErrorAllow lets the request pass.
	OnErrorAllow
	// OnErrorDeny makes no decision: the caller gets an error, its client a 503.
	OnErrorDeny
)

// String is the name used in configuration.
func (o OnError) String() string {
	return [...]string{"local", "allow", "deny"}[min(o, OnErrorDeny)]
}

// Charging says when a group of checks is charged. Except for [Independent], the
// checks of a group are charged all or none.
type Charging uint8

const (
	// Arriving charges groups in order up to the first refusal; later groups
	// are only peeked. The zero value.
	Arriving Charging = iota
	// Admitted charges the group only if every group admits the request.
	Admitted
	// Independent decides and charges every check alone, whatever the others
	// say, as Envoy's descriptors expect.
	Independent
)

// String is the name used in configuration.
func (c Charging) String() string {
	switch c {
	case Admitted:
		return "admitted"
	case Independent:
		return "independent"
	default:
		return "arriving"
	}
}
