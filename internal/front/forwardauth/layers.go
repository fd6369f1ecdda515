package forwardauth

import (
	"slices"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/policy"
)

// layer is what one layer makes of the request, with its limits as they stand.
type layer struct {
	policy.LayerExplanation
	Limits []limit `json:"limits"` // in place of those without a standing
}

type limit struct {
	policy.LimitExplanation
	*standing // nil where the limit is not asked: the request is refused before
}

// standing is how far a limit is used.
type standing struct {
	Capacity   int64  `json:"capacity"`
	Remaining  int64  `json:"remaining"`
	Passes     bool   `json:"passes"`
	Reason     string `json:"reason,omitempty"`
	RetryAfter int64  `json:"retry_after_ms"` // -1 is never
	ResetAfter int64  `json:"reset_after_ms"`
}

// layers joins what the policy says with what the store says.
func layers(made *policy.Explanation, d *weir.Decision) []layer {
	left := standings(d)
	out := make([]layer, 0, len(made.Layers))
	for _, one := range made.Layers {
		l := layer{one, make([]limit, 0, len(one.Limits))}
		for _, explained := range one.Limits {
			key := weir.Key{Layer: one.Name, Limit: explained.Name, Identity: explained.Key}
			l.Limits = append(l.Limits, limit{explained, left.take(key)})
		}
		out = append(out, l)
	}
	return out
}

// asked are the checks that are not told yet, in order.
type asked struct {
	keys      []weir.Key
	standings []*standing
}

func standings(d *weir.Decision) *asked {
	a := &asked{}
	for i, c := range d.Checks {
		r := &d.Results[i]
		a.keys = append(a.keys, c.Key)
		a.standings = append(a.standings, &standing{
			Capacity: r.Limit, Remaining: r.Remaining, Passes: r.Allowed, Reason: r.Reason.String(),
			RetryAfter: milliseconds(r.RetryAfter), ResetAfter: milliseconds(r.ResetAfter),
		})
	}
	return a
}

// take gives the first check of a key, once: limits of an independent layer may
// share one.
func (a *asked) take(key weir.Key) *standing {
	i := slices.Index(a.keys, key)
	if i < 0 {
		return nil
	}
	found := a.standings[i]
	a.keys = slices.Delete(a.keys, i, i+1)
	a.standings = slices.Delete(a.standings, i, i+1)
	return found
}

// milliseconds are rounded up; -1 is never.
func milliseconds(d time.Duration) int64 {
	if d == weir.Never {
		return -1
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
