package httplimit

import "net/textproto"

// Names are the names of the header fields, in any letter case. One that is
// empty is the usual one. Retry-After has a meaning of its own and keeps its name.
type Names struct {
	Limit     string // X-RateLimit-Limit
	Remaining string // X-RateLimit-Remaining
	Reset     string // X-RateLimit-Reset
	Policy    string // RateLimit-Policy
	RateLimit string // RateLimit
	Decision  string // Weir-Decision
}

// usual are the names in canonical form, as keys of an http.Header.
var usual = Names{
	Limit:     "X-Ratelimit-Limit",
	Remaining: "X-Ratelimit-Remaining",
	Reset:     "X-Ratelimit-Reset",
	Policy:    "Ratelimit-Policy",
	RateLimit: "Ratelimit",
	Decision:  "Weir-Decision",
}

const fieldRetry = "Retry-After"

// fieldDegraded marks a decision that the store had no part in.
const fieldDegraded = "Weir-Degraded"

// resolved are the names in canonical form.
func (h *Headers) resolved() *Names {
	switch {
	case h.names != nil:
		return h.names
	case h.Names == Names{}:
		return &usual
	default:
		return h.Names.canonical()
	}
}

// canonical fills in the usual names.
func (n Names) canonical() *Names {
	or := func(name, usual string) string {
		if name == "" {
			return usual
		}
		return textproto.CanonicalMIMEHeaderKey(name)
	}
	return &Names{
		Limit:     or(n.Limit, usual.Limit),
		Remaining: or(n.Remaining, usual.Remaining),
		Reset:     or(n.Reset, usual.Reset),
		Policy:    or(n.Policy, usual.Policy),
		RateLimit: or(n.RateLimit, usual.RateLimit),
		Decision:  or(n.Decision, usual.Decision),
	}
}
