// Package forwardauth is the front for proxies that ask before they forward: ANY
// /check answers 200 to let a request pass, 429 to refuse it, 503 when there is
// no decision, each with the rate-limit fields. It turns one HTTP request into
// the attributes of another and knows nothing of limits.
//
//	mux.Handle("/check", forwardauth.New(engine, forwardauth.Plain))
//
// # Errors
//
// An option in the query that makes no sense is 400; what the query may say beside
// is passed over, for proxies append the client's own. 400 too is a trusted peer's
// header that stands there twice, for one of the two may be the client's, and one
// of a proxy's that is missing.
package forwardauth

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// Engine is what the front asks.
type Engine interface {
	Decide(ctx context.Context, a *policy.Attributes) (weir.Decision, error)
	// Trusted holds the peers whose headers are believed, as configured now.
	Trusted() clientip.Prefixes
	// Resolved counts how the client's address was come by: much that is ignored
	// or junk shows a wrong set-up.
	Resolved(clientip.Outcome)
	// Headers chooses the fields of answers, as configured now.
	Headers() httplimit.Headers
	// Explain says what the policy makes of a request and how it would be decided
	// now. It charges nothing.
	Explain(ctx context.Context, a *policy.Attributes) (policy.Explanation, weir.Decision, error)
}

// Prefix is where the front lives. What follows it is the path of the request to
// judge, in the plain profile.
const Prefix = "/check"

// statusField is what a refusal's status would be without deny: a limit's 429 and
// a list's 403 become one.
const statusField = "Weir-Status"

// New makes the front's handler, for /check and all below it.
func New(e Engine, p Profile) http.Handler {
	return &handler{e, p}
}

type handler struct {
	engine  Engine
	profile Profile
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in := h.profile.read(r, h.engine.Trusted())
	if in.peer.IsValid() {
		h.engine.Resolved(in.outcome)
	}
	o, err := h.options(r, &in)
	switch {
	case err != nil:
		httplimit.NewProblem(http.StatusBadRequest, err.Error()).Write(w)
	case o.explain:
		h.explain(w, r, &in, o)
	case in.wrong != nil:
		httplimit.NewProblem(http.StatusBadRequest, in.wrong.Error()).Write(w)
	default:
		h.decide(w, r, &in, o)
	}
}

// rooms are of checks that have been answered: nobody keeps a decision. Made anew they
// were two thirds of what a check allocates.
var rooms = sync.Pool{New: func() any { return new(policy.Room) }}

// decide answers a check.
func (h *handler) decide(w http.ResponseWriter, r *http.Request, in *reading, o options) {
	a := &in.attributes
	a.Cost, a.Peek = o.cost, o.peek
	a.Room = rooms.Get().(*policy.Room)
	defer rooms.Put(a.Room)
	d, err := h.engine.Decide(r.Context(), a)
	if err != nil {
		noDecision.Write(w)
		return
	}
	h.engine.Headers().Set(w.Header(), &d)
	if d.Allowed {
		if o.accel != "" {
			w.Header().Set("X-Accel-Redirect", o.accel)
		}
		w.WriteHeader(http.StatusOK)
		return
	}
	if o.deny != 0 {
		w.Header().Set(statusField, strconv.Itoa(httplimit.Refused(&d).Status))
	}
	o.refusal(&d).Write(w)
}

// refusal is the answer to a refused request.
func (o *options) refusal(d *weir.Decision) httplimit.Problem {
	p := httplimit.Refused(d)
	if o.deny != 0 {
		p.Status = o.deny
	}
	return p
}

var noDecision = httplimit.NewProblem(http.StatusServiceUnavailable, "No decision could be made.")

// options are those of the query, as far as it can be the asker's own. Where a
// proxy should have said what the client asked for and has not, that is unknown.
func (h *handler) options(r *http.Request, in *reading) (options, error) {
	if in.wrong != nil && in.uri == "" {
		return options{}, in.wrong
	}
	if h.profile.noOptions || r.URL.RawQuery == "" {
		return options{cost: 1}, nil
	}
	o, err := parseOptions(r.URL.RawQuery, h.profile.author(in))
	if err == nil && o.accel != "" && !h.profile.accel {
		err = optionError("accel is for the profiles nginx and plain.")
	}
	return o, err
}
