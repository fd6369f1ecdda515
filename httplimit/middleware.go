package httplimit

import (
	"context"
	"net/http"

	"github.com/weirhq/weir"
)

// Limiter decides by key. A *[weir.Limiter] is one.
type Limiter interface {
	// AllowN takes n for the key if there is room.
	AllowN(ctx context.Context, key string, n int64) (weir.Result, error)
	// Refund gives back what is left of a take, once.
	Refund(ctx context.Context, key string, n int64, r weir.Result) (bool, error)
	// Limit is what the answers speak of. It is asked for once.
	Limit() *weir.Limit
}

// DecideFunc decides a request by more than one limit, as a policy does. An error
// means that no decision was made.
type DecideFunc func(r *http.Request) (weir.Decision, error)

// Middleware lets requests pass to a handler as a limit admits them. Make it with
// [New] or [NewFunc]. It is immutable, and one may wrap many handlers, which then
// share the limit.
type Middleware struct {
	limiter  Limiter
	limit    *weir.Limit
	key      KeyFunc
	constant constant // of the one limit

	decide DecideFunc
	store  weir.Store // where decide's charges are

	settings
}

// New makes a middleware of one limit, counted by key. It panics where the
// limiter or the key is nil: there is no default for whose requests are counted
// together.
func New(limiter Limiter, key KeyFunc, options ...Option) *Middleware {
	if limiter == nil {
		panic("httplimit: New: the limiter is nil")
	}
	if key == nil {
		panic("httplimit: New: the key function is nil; ByIP is one")
	}
	m := &Middleware{limiter: limiter, limit: limiter.Limit(), key: key, settings: newSettings(options)}
	m.constant = newConstant(weir.Check{Key: weir.Key{Layer: m.name}, Limit: m.limit})
	return m
}

// NewFunc makes a middleware of a function that decides, such as one around
// Decide of package policy. The store is the one that it charges, and where
// [WithCountOnly] gives back; nil will do without that option. [WithName],
// [WithCost] and [WithUnknownUncounted] say nothing here: decide does. It panics
// where decide is nil, and where the store is but is needed.
func NewFunc(store weir.Store, decide DecideFunc, options ...Option) *Middleware {
	m := &Middleware{decide: decide, store: store, settings: newSettings(options)}
	if decide == nil {
		panic("httplimit: NewFunc: decide is nil")
	}
	if store == nil && m.counts != nil {
		panic("httplimit: NewFunc: WithCountOnly needs the store")
	}
	return m
}

// Wrap makes a handler that calls next for each admitted request, and for no
// other. Any router takes it: it is a func(http.Handler) http.Handler.
func (m *Middleware) Wrap(next http.Handler) http.Handler {
	if next == nil {
		panic("httplimit: Wrap: the handler is nil")
	}
	run := func(w http.ResponseWriter, r *http.Request) error {
		next.ServeHTTP(w, r)
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.run(w, r, run) })
}

// Run is Wrap for frameworks whose handlers return an error and answer it later:
// to [WithCountOnly] an error is a failure, though nothing has been written yet.
// Run returns next's error, or nil where it answered the request itself without
// calling next.
func (m *Middleware) Run(w http.ResponseWriter, r *http.Request, next func(http.ResponseWriter, *http.Request) error) error {
	return m.run(w, r, func(w http.ResponseWriter, r *http.Request) error {
		w.Header() // is touched: a framework's own writer may give it past this one
		return next(w, r)
	})
}

func (m *Middleware) run(w http.ResponseWriter, r *http.Request, next func(http.ResponseWriter, *http.Request) error) error {
	if m.exempt(r) {
		return next(w, r)
	}
	var a asked
	d, refused, verdict := m.ask(r, &a)
	switch verdict {
	case admitted:
		return m.admit(w, r, &d, &a, next)
	case unlimited:
		return next(w, r)
	case over:
		m.refuse(w, r, refused)
	case senseless:
		negativeCost.Write(w)
	case undecided:
		m.unavailable.ServeHTTP(w, r)
	}
	return nil
}

func (m *Middleware) admit(w http.ResponseWriter, r *http.Request, d *weir.Decision, a *asked, next func(http.ResponseWriter, *http.Request) error) error {
	wrapped, answer := watch(w, &m.settings)
	f := answer.fields(w.Header())
	m.tell(&f, d)
	if m.counts == nil {
		return next(wrapped, r)
	}
	return m.count(wrapped, answer, r, d, a, next)
}

func (m *Middleware) refuse(w http.ResponseWriter, r *http.Request, d *weir.Decision) {
	f := new(block).fields(w.Header())
	m.tell(&f, d)
	m.refusal(w, r, d)
}

// tell sets the fields, and lists them where an outer middleware answers CORS
// requests.
func (m *Middleware) tell(f *fields, d *weir.Decision) {
	m.headers.set(f, d, &m.constant)
	if len(f.header[fieldAllowOrigin]) > 0 {
		m.headers.Expose(f.header)
	}
}
