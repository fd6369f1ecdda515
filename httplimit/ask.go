package httplimit

import (
	"errors"
	"net/http"

	"github.com/weirhq/weir"
)

// verdict is what becomes of a request.
type verdict uint8

const (
	admitted  verdict = iota
	over              // refused by a limit or a list
	unlimited         // passes without a decision
	undecided         // no decision could be made
	senseless         // a negative cost
)

// asked is the one check of a limiter, with its answer.
type asked struct {
	checks  [1]weir.Check
	results [1]weir.Result
}

func (a *asked) decision() weir.Decision {
	return weir.Decide(a.results[0].ID, a.checks[:], a.results[:])
}

// ask gives d for an admitted request, which lies in a, on the caller's stack:
// most requests need it no longer. A refused one is on the heap, for a custom
// handler may keep it.
func (m *Middleware) ask(r *http.Request, a *asked) (d weir.Decision, refused *weir.Decision, v verdict) {
	if m.decide != nil {
		return m.askFunc(r)
	}
	key, err := m.key(r)
	if err != nil {
		m.report(r, err)
		return d, nil, undecided
	}
	if key == "" && m.unknownUncounted {
		return d, nil, unlimited
	}
	if key == "" {
		no := weir.Deny(weir.NewID(), "The caller is not known.")
		return d, &no, over
	}
	check, result := &a.checks[0], &a.results[0]
	*check = weir.Check{Key: weir.Key{Layer: m.name, Identity: key}, Limit: m.limit, Cost: 1}
	if m.cost != nil {
		check.Cost = m.cost(r)
	}
	if *result, err = m.limiter.AllowN(r.Context(), key, check.Cost); err != nil {
		return d, nil, m.failed(r, err)
	}
	if !result.Allowed {
		kept := *a
		no := kept.decision()
		return d, &no, over
	}
	return a.decision(), nil, admitted
}

func (m *Middleware) askFunc(r *http.Request) (weir.Decision, *weir.Decision, verdict) {
	d, err := m.decide(r)
	switch {
	case err != nil:
		return d, nil, m.failed(r, err)
	case d.Allowed:
		return d, nil, admitted
	default:
		return weir.Decision{}, &d, over
	}
}

// failed is what becomes of a request that was not decided. A caller who is gone
// is none of the store's failures, and passes nowhere: whoever hangs up in time
// could switch the limit off.
func (m *Middleware) failed(r *http.Request, err error) verdict {
	if errors.Is(err, weir.ErrNegativeCost) {
		return senseless
	}
	if r.Context().Err() != nil {
		return undecided
	}
	m.report(r, err)
	if m.allowOnError {
		return unlimited
	}
	return undecided
}
