package admin

import (
	"errors"
	"net/http"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/trail"
	"github.com/weirhq/weir/policy"
)

// explained is a decision with its reasons.
type explained struct {
	ID      string         `json:"id"`
	At      int64          `json:"at_ms"`
	Allowed bool           `json:"allowed"`
	Why     string         `json:"why"` // a sentence
	Denied  string         `json:"denied,omitempty"`
	Request requestExplain `json:"request"`
	// RetryAfter is in ms, rounded up: 0 when allowed, -1 for never.
	RetryAfter int64   `json:"retry_after_ms"`
	Degraded   bool    `json:"degraded"`
	Checks     []check `json:"checks"`
	// Changes are sentences: what would have changed the answer.
	Changes []string `json:"changes"`
	// Policy is what the policy makes of the request; of POST /v1/explain only.
	Policy *policy.Explanation `json:"policy,omitempty"`
}

type requestExplain struct {
	IP     string `json:"ip,omitempty"`
	Method string `json:"method,omitempty"`
	Host   string `json:"host,omitempty"`
	Path   string `json:"path,omitempty"`
}

// check is one limit's part.
type check struct {
	Layer     string `json:"layer"`
	Limit     string `json:"limit"`
	Rule      string `json:"rule"` // as "10/min gcra burst 20"
	Rate      string `json:"rate"`
	Algorithm string `json:"algorithm"`
	Key       string `json:"key"`
	Ref       string `json:"ref"`
	Cost      int64  `json:"cost"`
	Shadow    bool   `json:"shadow"`
	Allowed   bool   `json:"allowed"`
	Charged   bool   `json:"charged"`
	Reason    string `json:"reason,omitempty"`
	Why       string `json:"why"` // a sentence
	// Capacity is the room, Used what of it was taken before, Remaining what was
	// left after.
	Capacity   int64 `json:"capacity"`
	Used       int64 `json:"used"`
	Remaining  int64 `json:"remaining"`
	RetryAfter int64 `json:"retry_after_ms"`
	ResetAt    int64 `json:"reset_at_ms"`
	Degraded   bool  `json:"degraded"`
	// Algorithms are what each would have answered for the same usage.
	Algorithms []algorithmAnswer `json:"algorithms,omitempty"`
}

type algorithmAnswer struct {
	Algorithm  string `json:"algorithm"`
	Decided    bool   `json:"decided"` // it is the limit's own
	Allowed    bool   `json:"allowed"`
	Remaining  int64  `json:"remaining"`
	RetryAfter int64  `json:"retry_after_ms"`
	ResetAfter int64  `json:"reset_after_ms"`
}

// explain answers for a request that is filled in: as /v1/decisions/{id}, and
// charges nothing.
func (p *port) explain(w http.ResponseWriter, r *http.Request) {
	body, status, err := readBody(w, r)
	if err != nil {
		httplimit.NewProblem(status, err.Error()).Write(w)
		return
	}
	x, err := p.engine.Ask(r.Context(), body)
	var input InputError
	switch {
	case errors.As(err, &input):
		httplimit.NewProblem(http.StatusBadRequest, input.Error()).Write(w)
	case err != nil:
		httplimit.NewProblem(http.StatusServiceUnavailable, "The store does not answer.").Write(w)
	default:
		out := p.explained(x.Record, shownInFull)
		out.Policy = &x.Policy
		writeJSON(w, http.StatusOK, out)
	}
}

func (p *port) explained(k *trail.Record, show shower) explained {
	out := explained{
		ID: k.ID.String(), At: k.At.UnixMilli(), Allowed: k.Allowed, Denied: k.Denied, Why: whyDecided(k),
		RetryAfter: milliseconds(k.RetryAfter), Degraded: k.Degraded, Changes: changes(k),
		Request: requestExplain{Method: k.Request.Method, Host: k.Request.Host, Path: k.Request.Path},
	}
	if k.Request.IP.IsValid() {
		out.Request.IP = k.Request.IP.String()
		if show := show("ip:" + out.Request.IP); show != "ip:"+out.Request.IP {
			out.Request.IP = show[len("ip:"):]
		}
	}
	out.Checks = p.checksOf(k.Checks, k.Results, show, trail.WhatIf)
	return out
}

func (p *port) checksOf(checks []weir.Check, results []weir.Result, show shower, whatIf func(*weir.Check, *weir.Result) []trail.Answer) []check {
	out := make([]check, len(checks))
	for i := range checks {
		out[i] = checkOf(&checks[i], &results[i])
		out[i].Key, out[i].Ref = show(checks[i].Key.Identity), p.trail.Ref(checks[i].Key.Identity)
		if whatIf != nil {
			out[i].Algorithms = algorithmsOf(whatIf(&checks[i], &results[i]))
		}
	}
	return out
}

func checkOf(c *weir.Check, r *weir.Result) check {
	return check{
		Layer: c.Key.Layer, Limit: c.Key.Limit, Rule: c.Limit.String(), Rate: c.Limit.Rate().String(), Algorithm: c.Limit.Algorithm().String(),
		Cost: c.Cost, Shadow: c.Group != nil && c.Group.Shadow, Allowed: r.Allowed, Charged: r.Charged, Reason: r.Reason.String(), Why: whyChecked(c, r),
		Capacity: r.Limit, Used: trail.Used(c, r), Remaining: r.Remaining, RetryAfter: milliseconds(r.RetryAfter),
		ResetAt: (r.At + r.ResetAfter.Microseconds() + 999) / 1000, Degraded: r.Degraded,
	}
}

func algorithmsOf(answers []trail.Answer) []algorithmAnswer {
	out := make([]algorithmAnswer, len(answers))
	for i, a := range answers {
		out[i] = algorithmAnswer{a.Algorithm.String(), a.Real, a.Allowed, a.Remaining, milliseconds(a.RetryAfter), milliseconds(a.ResetAfter)}
	}
	return out
}

// milliseconds rounds up; -1 is never.
func milliseconds(d time.Duration) int64 {
	if d == weir.Never {
		return -1
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
