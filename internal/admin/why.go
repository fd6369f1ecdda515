package admin

import (
	"fmt"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/trail"
)

func whyDecided(k *trail.Record) string {
	i := k.Refusing()
	switch {
	case k.Denied != "":
		return "Denied: " + k.Denied + "."
	case !k.Allowed && i >= 0:
		return "Refused by " + nameOf(&k.Checks[i]) + "."
	case !k.Allowed:
		return "Refused."
	case len(k.Checks) == 0:
		return "Allowed: no limit counts it."
	case i >= 0:
		return "Allowed: " + nameOf(&k.Checks[i]) + " would have refused it, and is in shadow."
	default:
		return "Allowed: every limit has room."
	}
}

func nameOf(c *weir.Check) string { return c.Key.Layer + "/" + c.Key.Limit }

func whyChecked(c *weir.Check, r *weir.Result) string {
	text := whyRoom(c, r)
	if c.Group != nil && c.Group.Shadow && !r.Allowed {
		text += " It is in shadow, so this refuses nobody."
	}
	if r.Degraded {
		text += " The store did not answer: on_error decided."
	}
	return text
}

func whyRoom(c *weir.Check, r *weir.Result) string {
	used := trail.Used(c, r)
	switch {
	case r.Degraded && r.Limit == 0 && r.Allowed:
		return "It was let pass without being counted."
	case r.Reason == weir.LimitBlocked:
		return "The limit is 0: it refuses everything."
	case r.Reason == weir.ExceedsCapacity:
		return fmt.Sprintf("A cost of %d is above %d, the most there can ever be at once.", c.Cost, r.Limit)
	case !r.Allowed:
		return fmt.Sprintf("%d of %d are used, and a cost of %d needs more than what is left. There is room in %s.", used, r.Limit, c.Cost, span(r.RetryAfter))
	case r.Charged:
		return fmt.Sprintf("%d of %d were used, and it took %d.", used, r.Limit, c.Cost)
	case c.Peek:
		return fmt.Sprintf("%d of %d are used: a cost of %d would pass.", used, r.Limit, c.Cost)
	default:
		return fmt.Sprintf("%d of %d were used: it had room, and was not charged.", used, r.Limit)
	}
}

// changes are what would have changed a refusal.
func changes(k *trail.Record) []string {
	out := []string{}
	if k.Denied != "" {
		return append(out, "No wait helps: the lists and the rules about identities would have to be others.")
	}
	if k.Allowed {
		return out
	}
	if k.RetryAfter > 0 && k.RetryAfter != weir.Never {
		out = append(out, "The same request, coming alone, passes after "+span(k.RetryAfter)+".")
	}
	for i := range k.Results {
		if c, r := &k.Checks[i], &k.Results[i]; !r.Allowed && (c.Group == nil || !c.Group.Shadow) {
			out = append(out, changesOf(c, r)...)
		}
	}
	return out
}

func changesOf(c *weir.Check, r *weir.Result) (out []string) {
	if r.Remaining > 0 {
		out = append(out, fmt.Sprintf("%s has room for a cost of %d.", nameOf(c), r.Remaining))
	}
	room := "limit"
	if c.Limit.Algorithm().HasBurst() && !c.Limit.Blocked() {
		room = "burst"
	}
	return append(out, fmt.Sprintf("%s admits it with a %s of %d; it has %d.", nameOf(c), room, trail.Used(c, r)+c.Cost, r.Limit))
}

// span is a wait for people, rounded up to what they would notice.
func span(d time.Duration) string {
	unit := time.Millisecond
	if d >= 10*time.Second {
		unit = time.Second
	}
	return ((d + unit - 1) / unit * unit).String()
}
