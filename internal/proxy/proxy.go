// Package proxy is a reverse proxy that asks before it forwards: what is admitted
// goes on to one upstream, what is refused is answered here.
//
//	upstream, err := proxy.ParseUpstream("http://127.0.0.1:3000")
//	p := proxy.New(engine, proxy.Options{Upstream: upstream, Log: log})
//	server := &http.Server{Handler: p}
//
// It knows nothing of limits: it turns a request into attributes, and a decision
// into an answer. The forwarding itself is net/http/httputil's.
//
// # Time
//
// No body is bounded in time as a whole, in either direction, for it may be a
// stream; but who stops reading or sending in the middle of one is cut off after
// [Options.Timeout]. The server must have neither a ReadTimeout nor a WriteTimeout.
//
// # Errors
//
// An upstream that fails is 502, one that does not answer in time 504. Clients get
// a fixed sentence; the cause goes to the log, one line a second.
//
// # Concurrency
//
// A Proxy serves any number of requests. It starts no goroutine that outlives the
// request it was started for, but for the idle connections that Close ends.
package proxy

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// Engine is what the proxy asks.
type Engine interface {
	Decide(ctx context.Context, a *policy.Attributes) (weir.Decision, error)
	// Trusted holds the peers whose headers are believed, as configured now.
	Trusted() clientip.Prefixes
	// Resolved counts how the client's address was come by.
	Resolved(clientip.Outcome)
	// Headers chooses the fields of answers, as configured now.
	Headers() httplimit.Headers
}

// Options say where requests go.
type Options struct {
	// Upstream is from [ParseUpstream].
	Upstream *Upstream
	// RewriteHost sends the upstream its own host as Host; by default it gets the
	// client's. X-Forwarded-Host has the client's in both cases.
	RewriteHost bool
	// Timeout is how long the upstream may take to begin its answer, and either
	// side to go on in the middle of a body. Default: a minute.
	Timeout time.Duration
	// Log gets the causes of failures. Default: slog.Default().
	Log *slog.Logger
}

const defaultTimeout = time.Minute

// Proxy is the handler. Make it with [New].
type Proxy struct {
	engine   Engine
	options  Options
	client   *client
	buffers  *buffers
	upgraded *upgraded
	failures *failures
	bodyLog  *log.Logger // of answers that break off
}

// New makes a proxy.
func New(e Engine, o Options) *Proxy {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Proxy{
		engine: e, options: o, client: newClient(o.Upstream, o.Timeout), buffers: &buffers{},
		upgraded: newUpgraded(), failures: &failures{log: o.Log},
		bodyLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
}

// ServeHTTP forwards the request, or answers it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		httplimit.NewProblem(http.StatusMethodNotAllowed, "This is no forward proxy.").Write(w)
		return
	}
	e := exchange{ResponseWriter: w, proxy: p, in: r, headers: p.engine.Headers(), pace: pace{timeout: p.options.Timeout}}
	a := e.attributes(p.engine)
	var err error
	if e.decision, err = p.engine.Decide(r.Context(), &a); err != nil {
		httplimit.NewProblem(http.StatusServiceUnavailable, "No decision could be made.").Write(w)
		return
	}
	if !e.decision.Allowed {
		httplimit.Refuse(&e, &e.decision)
		return
	}
	if r.Header["Upgrade"] != nil {
		var done func()
		e.in, done = p.upgraded.add(r)
		defer done()
	}
	e.forward()
}

// Drain waits until no connection is upgraded any more. An http.Server forgets
// those when it is shut down: call it afterwards.
func (p *Proxy) Drain(ctx context.Context) error { return p.upgraded.wait(ctx) }

// Close cuts off what is upgraded still, and closes idle connections.
func (p *Proxy) Close() {
	p.upgraded.close()
	p.client.close()
}
