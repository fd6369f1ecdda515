package httplimit

import (
	"encoding/json"
	"net/http"

	"github.com/weirhq/weir"
)

// QuotaExceeded is the problem type of a refusal by a limit, registered for RFC
// 9457 by draft-ietf-httpapi-ratelimit-headers.
const QuotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

// Problem is an application/problem+json body (RFC 9457).
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// ViolatedPolicies names the limits that refused, as RateLimit-Policy does.
	ViolatedPolicies []string `json:"violated-policies,omitempty"`
	// Decision is the id to ask for an explanation with.
	Decision string `json:"decision,omitempty"`
}

// NewProblem is a problem of no type of its own: the status says it all, and detail
// is a sentence for whoever reads it.
func NewProblem(status int, detail string) Problem {
	return Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail}
}

// noDecision is the answer where a store does not: no figures are known, and none
// are made up.
var noDecision = NewProblem(http.StatusServiceUnavailable, "No decision could be made.")

var negativeCost = NewProblem(http.StatusBadRequest, "The cost of this request is negative.")

// Refused is the problem of a refused decision: 429 by a limit, 403 by a list.
func Refused(d *weir.Decision) Problem {
	if d.Denied != "" {
		return Problem{Type: "about:blank", Title: "Forbidden", Status: http.StatusForbidden, Detail: d.Denied, Decision: d.ID.String()}
	}
	p := Problem{
		Type: QuotaExceeded, Title: "Request quota exceeded", Status: http.StatusTooManyRequests,
		Detail: "Wait as long as Retry-After says.", Decision: d.ID.String(),
	}
	if d.RetryAfter == weir.Never {
		p.Detail = "This request asks for more than the limit ever admits; waiting does not help."
	}
	for i := range d.Results {
		if !d.Results[i].Allowed && enforced(&d.Checks[i]) {
			p.ViolatedPolicies = append(p.ViolatedPolicies, PolicyName(d, i))
		}
	}
	return p
}

// Refuse answers a refused decision. The rate-limit fields are the caller's to
// set before, with [Headers.Set].
func Refuse(w http.ResponseWriter, d *weir.Decision) { Refused(d).Write(w) }

// Write answers with the problem.
func (p Problem) Write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	header.Del("Content-Length")
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p) // the client is gone if this fails
}
