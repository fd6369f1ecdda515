package descriptor

import (
	"github.com/weirhq/weir"
)

// Rule is a limit with what the configuration says around it. It is for reading
// only.
type Rule struct {
	// Name is rate_limit's name; "" where it has none.
	Name string
	// Requests per unit; 0 refuses all. Unit is Other where the period has no
	// name. Both say nothing where the rule is Unlimited.
	Requests  uint32
	Unit      Unit
	Unlimited bool
	// Quota: over this limit a request is refused only if it is over every other
	// quota it names, too.
	Quota bool
	// Metadata is what the configuration says to tell whoever asks; of maps,
	// lists, texts, float64, bool and nil. nil where it says nothing.
	Metadata map[string]any

	limit    *weir.Limit // nil where unlimited
	group    *weir.Group
	path     string // in the configuration, the limit's name in keys
	replaces []string
	// shared has, for each entry on the way here, the pattern that all values
	// which fit it are counted as, "" for none; nil where there is none at all.
	shared []string
}

// String is what the rule admits, such as "5/min fixed-window count all, shadow".
func (r *Rule) String() string {
	text := "unlimited"
	if !r.Unlimited {
		text = r.limit.String()
	}
	for _, mark := range []struct {
		word string
		on   bool
	}{{"shadow", r.shadow()}, {"quota", r.Quota}, {"shared", r.shared != nil}} {
		if mark.on {
			text += ", " + mark.word
		}
	}
	return text
}

// shadow rules are charged and reported, and never refuse.
func (r *Rule) shadow() bool { return r.group.Shadow }

// maxNamed is limit_remaining of what has no limit, and the largest there is.
const maxNamed = 1<<32 - 1

// overridden rules are not in any configuration. Their names in keys are few, one
// for each unit, whatever limits requests bring along: that of the configured rule
// in whose place they stand where both count in the same windows, as there.
func overridden(o *Override, configured *Rule) (*Rule, error) {
	limit, err := weir.NewLimit(weir.Rate{Count: int64(o.Requests), Period: o.Unit.Period()},
		weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())
	if err != nil {
		return nil, err
	}
	path := overridePath(o.Unit)
	if configured != nil && configured.countsLike(o) {
		path = configured.path
	}
	return &Rule{Requests: o.Requests, Unit: o.Unit, limit: limit, group: enforced, path: path}, nil
}

// countsLike says that the rule counts hits of the same callers in the windows of
// the override. A shared rule counts many callers as one, an override each.
func (r *Rule) countsLike(o *Override) bool {
	return !r.Unlimited && r.shared == nil && r.Unit == o.Unit && r.limit.CountsAll()
}

// overridePath begins as no rule's path does.
func overridePath(u Unit) string { return "~override/" + u.String() }

var enforced = &weir.Group{Charge: weir.Independent}
