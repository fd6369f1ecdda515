package daemon

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/receipt"
	"github.com/weirhq/weir/internal/tracing"
	"github.com/weirhq/weir/internal/trail"
	"github.com/weirhq/weir/policy"
)

// Engine decides: the policy as it is now, on one store. It is what every front
// asks. A reload swaps one pointer, so a decision is made by one configuration
// from beginning to end.
type Engine struct {
	current atomic.Pointer[loaded]
	store   *backend
	metrics *admin.Metrics
	tracer  *tracing.Tracer // nil: no spans
	trail   *trail.Trail
	random  *receipt.Signer // signs where there is no secret

	draining atomic.Bool

	mu      sync.Mutex
	refused string // why the file as it is now is not in use
}

func newEngine(store *backend, m *admin.Metrics, l *loaded) *Engine {
	e := &Engine{store: store, metrics: m, trail: trail.New(), random: receipt.NewSigner(nil)}
	m.WatchKeys(store.keys)
	if store.stats != nil {
		m.WatchStore(store.stats)
		m.WatchDenyCache(store.shared.DenyCacheHits)
		m.WatchLeases(store.leases.Stats)
	}
	if store.timed != nil {
		store.timed.trail = e.trail
	}
	e.use(l)
	return e
}

// Decide decides a request by the policy.
func (e *Engine) Decide(ctx context.Context, a *policy.Attributes) (weir.Decision, error) {
	ctx, now := e.begin(ctx, trail.Request{IP: a.IP, Method: a.Method, Host: a.Host, Path: a.Path})
	d, err := e.current.Load().policy.Decide(ctx, e.store, a)
	return e.observe(&now, d, err)
}

// Check decides one check without the policy.
func (e *Engine) Check(ctx context.Context, c weir.Check) (weir.Decision, error) {
	ctx, now := e.begin(ctx, trail.Request{})
	checks, results := []weir.Check{c}, make([]weir.Result, 1)
	err := e.store.Take(ctx, checks, results)
	if err != nil {
		return e.observe(&now, weir.Decision{}, err)
	}
	return e.observe(&now, weir.Decide(weir.NewID(), checks, results), nil)
}

// DecideEach decides checks without the policy that have nothing to do with each
// other; see [weir.TakeEach]. The first n are decided.
func (e *Engine) DecideEach(ctx context.Context, checks []weir.Check, results []weir.Result) (n int, err error) {
	start := time.Now()
	ctx, span := e.tracer.Batch(ctx)
	n, err = weir.TakeEach(ctx, e.store.Store, checks, results)
	span.EndBatch(results[:n], err)
	took := time.Since(start)
	e.metrics.DecidedEach(checks[:n], results[:n], took)
	e.trail.DecidedEach(checks[:n], results[:n])
	if e.store.timed == nil {
		e.trail.Took(took)
	}
	for range checks[n:] {
		e.metrics.Failed()
		e.trail.Failed()
	}
	return n, err
}

// Forget resets keys of checks without the policy.
func (e *Engine) Forget(ctx context.Context, keys []weir.Key) error { return e.store.Reset(ctx, keys) }

// pending is a decision that is being made.
type pending struct {
	request trail.Request
	start   time.Time
	span    tracing.Span
}

func (e *Engine) begin(ctx context.Context, r trail.Request) (context.Context, pending) {
	start := time.Now()
	ctx, span := e.tracer.Decision(ctx)
	return ctx, pending{r, start, span}
}

// observe tells those who count and remember. A store in memory is as fast as the
// decision; a shared one tells its own time.
func (e *Engine) observe(p *pending, d weir.Decision, err error) (weir.Decision, error) {
	p.span.End(&d, err)
	if err != nil {
		e.metrics.Failed()
		e.trail.Failed()
		return d, err
	}
	took := time.Since(p.start)
	e.metrics.Decided(&d, took)
	e.trail.Decided(&p.request, &d)
	if e.store.timed == nil {
		e.trail.Took(took)
	}
	return d, nil
}

// Receipt is the text by which a decision's charges can be given back; empty
// where it charged nothing.
func (e *Engine) Receipt(d *weir.Decision) string {
	charges := d.Charges()
	if len(charges) == 0 {
		return ""
	}
	return e.signer().Seal(d.ID, charges)
}

// Refund gives back what a receipt charged, once, and reports whether there was
// anything left to give. The error is receipt.ErrInvalid for a receipt that is
// none of this service's.
func (e *Engine) Refund(ctx context.Context, text string) (bool, error) {
	id, charges, err := e.signer().Open(text)
	if err != nil {
		return false, err
	}
	return e.store.Refund(ctx, id, charges)
}

func (e *Engine) signer() *receipt.Signer {
	if s := e.current.Load().signer; s != nil {
		return s
	}
	return e.random
}

// Reset forgets what the caller known by key has used in the layer, and returns
// how many keys it named, held or not. The error is an admin.InputError where
// there is no such layer, or it does not count by such a key; see
// [policy.Policy.Keys].
func (e *Engine) Reset(ctx context.Context, layer, key string) (int, error) {
	keys, err := e.current.Load().keys(layer, key)
	if err != nil {
		return 0, admin.InputError("This cannot be reset: " + withoutPackage(err.Error()))
	}
	return len(keys), e.store.Reset(ctx, keys)
}

// withoutPackage is what follows "policy: ".
func withoutPackage(text string) string {
	_, rest, _ := strings.Cut(text, ": ")
	return rest
}

// Trusted holds the peers whose headers are believed.
func (e *Engine) Trusted() clientip.Prefixes { return e.current.Load().trusted }

// Resolved counts how a client's address was come by.
func (e *Engine) Resolved(o clientip.Outcome) { e.metrics.Resolved(o.String()) }

// Headers chooses the fields of answers.
func (e *Engine) Headers() httplimit.Headers { return e.current.Load().headers }

// use makes the configuration the one that decides.
func (e *Engine) use(l *loaded) {
	e.current.Store(l)
	if e.store.shared != nil {
		e.store.shared.ForgetRefusals()
	}
	e.setRefused("")
	e.metrics.Loaded()
}

func (e *Engine) setRefused(why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refused = why
}
