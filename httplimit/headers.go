package httplimit

import (
	"net/http"
	"strconv"

	"github.com/weirhq/weir"
)

// Headers chooses the rate-limit header fields of an answer. The zero value
// writes them all, in forms that no known client stumbles over:
// X-RateLimit-Limit, -Remaining and -Reset (epoch seconds); the fields
// RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-11; and
// Weir-Decision.
type Headers struct {
	// Reset is how X-RateLimit-Reset tells its time; default Epoch.
	Reset ResetStyle
	// IETF is how the fields of the draft name their parameters; default Draft11.
	IETF IETFStyle
	// OmitLegacy leaves out the X-RateLimit fields.
	OmitLegacy bool
	// OmitIETF leaves out RateLimit-Policy and RateLimit.
	OmitIETF bool
	// OmitDecision leaves out Weir-Decision.
	OmitDecision bool
	// Bare ends the item of RateLimit after the draft's own parameters. By
	// default ;limit=60;remaining=412;reset=14 follow, which the draft tells
	// clients to ignore: ratelimit-header-parser 0.1.0 of npm looks for nothing
	// else once there is a RateLimit field, not even for X-RateLimit-Limit.
	Bare bool
	// Names are other names for the fields; the zero value is the usual ones.
	Names Names

	names *Names // resolved beforehand; nil: see resolved
}

// ResetStyle is the kind of number in X-RateLimit-Reset.
type ResetStyle uint8

const (
	// Epoch is seconds since the Unix epoch, as GitHub and X send it.
	Epoch ResetStyle = iota
	// Delta is seconds from now, as Envoy and Reddit send it.
	Delta
	// NoReset leaves X-RateLimit-Reset out and the other two in.
	NoReset
)

// IETFStyle is the revision of draft-ietf-httpapi-ratelimit-headers that names
// the parameters of RateLimit.
type IETFStyle uint8

const (
	// Draft11 (May 2026) has r, what remains, and t, seconds until the reset.
	Draft11 IETFStyle = iota
	// Both has a and w too, which draft 12 (November 2026) calls the same.
	Both
)

// Set writes the fields of the decision, each once, over any that are there.
// Limits in shadow are never mentioned. A decision that checked nothing gets
// Weir-Decision alone: there is no limit to speak of. It allocates once, for any
// usual number of layers.
func (h Headers) Set(header http.Header, d *weir.Decision) {
	f := new(block).fields(header)
	h.set(&f, d, &constant{})
}

// SetFor is Set on an answer of this status. A redirect gets Weir-Decision alone,
// and loses what its handler said of limits: whether another address may be asked
// now is not for it to say.
func (h Headers) SetFor(header http.Header, d *weir.Decision, status int) {
	h.Set(header, d)
	if redirect(status) {
		for _, name := range h.limits() {
			delete(header, name)
		}
	}
}

// constant are the texts of a decision by one limit that are the same each time. The
// zero value knows none.
type constant struct {
	policy   string // RateLimit-Policy
	name     string // of the policy, with which RateLimit begins
	limit    string // the digits of capacity
	capacity int64
}

func newConstant(c weir.Check) constant {
	d, capacity := weir.Decision{Checks: []weir.Check{c}}, c.Limit.Capacity()
	return constant{
		policy: string(appendPolicies(nil, &d)), name: string(appendName(nil, &d, 0)),
		limit: strconv.FormatInt(capacity, 10), capacity: capacity,
	}
}

// set is Set by f.
func (h *Headers) set(f *fields, d *weir.Decision, c *constant) {
	names := h.resolved()
	if d.ID != 0 && !h.OmitDecision {
		f.text = appendID(f.text, d.ID)
		f.set(names.Decision, f.since(0))
	}
	if d.Degraded {
		f.header[fieldDegraded] = []string{"1"}
	}
	if !d.Allowed && d.RetryAfter != weir.Never {
		f.set(fieldRetry, f.digits(RetryAfterSeconds(d.RetryAfter)))
	}
	if d.Tightest < 0 || h.OmitLegacy && h.OmitIETF {
		return
	}
	r := &d.Results[d.Tightest]
	n := f.numbers(r, c)
	if !h.OmitLegacy {
		h.setLegacy(f, names, r, &n)
	}
	if !h.OmitIETF {
		h.setIETF(f, names, d, &n, c)
	}
}

func (h *Headers) setLegacy(f *fields, names *Names, r *weir.Result, n *numbers) {
	f.set(names.Limit, n.limit)
	f.set(names.Remaining, n.remaining)
	switch h.Reset {
	case Epoch:
		f.set(names.Reset, f.digits(resetAt(r)))
	case Delta:
		f.set(names.Reset, n.reset)
	}
}

func (h *Headers) setIETF(f *fields, names *Names, d *weir.Decision, n *numbers, c *constant) {
	policy := c.policy
	if policy == "" {
		start := len(f.text)
		f.text = appendPolicies(f.text, d)
		policy = f.since(start)
	}
	f.set(names.Policy, policy)
	start := len(f.text)
	if c.name != "" {
		f.text = append(f.text, c.name...)
	} else {
		f.text = appendName(f.text, d, d.Tightest)
	}
	f.text = h.appendItem(f.text, &d.Results[d.Tightest], n)
	f.set(names.RateLimit, f.since(start))
}

// limits are the names of the fields that speak of limits and are switched on.
func (h *Headers) limits() []string {
	names, list := h.resolved(), []string{}
	if !h.OmitLegacy {
		list = append(list, names.Limit, names.Remaining)
		if h.Reset != NoReset {
			list = append(list, names.Reset)
		}
	}
	if !h.OmitIETF {
		list = append(list, names.Policy, names.RateLimit)
	}
	return list
}
