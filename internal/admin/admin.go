// Package admin is the port for those who run weir: health, metrics, and what
// changes state other than by taking.
//
//	admin.New(engine, trail, metrics, admin.Options{Token: token})
//
// # Errors
//
// 401 without the token where one is set; 403 for what a web page of another
// origin, open in an operator's browser, could have sent; 400 for bad input; 503
// where the store does not answer. Each has a problem body.
package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/trail"
	"github.com/weirhq/weir/policy"
)

// Engine is what the port shows and changes.
type Engine interface {
	// Status is what /readyz tells.
	Status() Status
	// Reset forgets every state that the caller known by key has in the layer,
	// and returns how many keys it named, held or not. An [InputError] is worded for
	// whoever asked.
	Reset(ctx context.Context, layer, key string) (int, error)
	Shown
}

// Shown is what the port asks the policy and the store. Errors that are an
// [InputError] are worded for whoever asked; others are the store's.
type Shown interface {
	// Peek is what the caller known by key has left in the layer.
	Peek(ctx context.Context, layer, key string) (weir.Decision, error)
	// Ask is what would be decided now about the request of a body as POST /v1/take
	// has it. It charges nothing.
	Ask(ctx context.Context, body []byte) (Asked, error)
	// Configuration is the one in use.
	Configuration() (Configuration, error)
}

// Asked is a decision that was not made, and what the policy says to it.
type Asked struct {
	Record *trail.Record
	Policy policy.Explanation
}

// Trail is what is remembered; see package trail.
type Trail interface {
	Decisions
	Crowd
	// Listen gives the last ticks, and those that come.
	Listen() (past []*trail.Tick, next <-chan *trail.Tick, stop func(), ok bool)
}

// Decisions are the last ones.
type Decisions interface {
	Decision(id weir.ID) *trail.Record
	Refusals(n int) []*trail.Record
	Admissions(n int) []*trail.Record
}

// Crowd is who asks.
type Crowd interface {
	// Callers are those of a limit; nil where they are not known.
	Callers(layer, limit string, by trail.Order) *trail.Callers
	// Limits names those of a layer whose callers are known.
	Limits(layer string) []string
	// Ref stands for an identity where that is not to be shown.
	Ref(identity string) string
	// Named is the identity that a ref stands for; "" for what is none.
	Named(layer, ref string) string
}

// InputError is a mistake of whoever asked, as a sentence for them.
type InputError string

// Error is the sentence.
func (e InputError) Error() string { return string(e) }

// Status is the detail of readiness.
type Status struct {
	Ready  bool         `json:"ready"`
	Config ConfigStatus `json:"config"`
	Store  StoreStatus  `json:"store"`
}

// ConfigStatus tells of the configuration that decides now, and whether a newer
// one was refused.
type ConfigStatus struct {
	Valid    bool   `json:"valid"`              // the file as it is now is the one in use
	File     string `json:"file,omitempty"`     // empty for the default policy
	LoadedAt string `json:"loaded_at"`          // RFC 3339
	Error    string `json:"error,omitempty"`    // why the file as it is now was refused
	Warnings int    `json:"warnings,omitempty"` // of the configuration in use
}

// StoreStatus tells of the store.
type StoreStatus struct {
	Kind      string `json:"kind"` // "memory", "redis", "redis+cluster" and so on
	Reachable bool   `json:"reachable"`
	Keys      int    `json:"keys"` // held in this process
	// Breaker is "closed" while the store is asked, "open" while on_error
	// decides, "half-open" while one call tries it; empty in memory.
	Breaker     string `json:"breaker,omitempty"`
	Degraded    int64  `json:"degraded,omitempty"` // requests decided without it so far
	LastFailure string `json:"last_failure,omitempty"`
}

// Options shape the port. The zero value asks for no token: serve it on loopback
// only.
type Options struct {
	// Token is asked for as a bearer token on everything but health; empty asks
	// for none, and answers to loopback names only.
	Token string
	// ClientCert asks for a client certificate, which the listener has verified,
	// on everything but health.
	ClientCert bool
}

// New makes the port's handler.
func New(e Engine, t Trail, m *Metrics, o Options) http.Handler {
	p := &port{e, t, o}
	private := http.NewServeMux()
	for _, one := range []struct {
		method, path string
		handler      http.HandlerFunc
	}{
		{"GET", "/metrics", m.handler().ServeHTTP},
		{"GET", "/v1/live", p.live},
		{"GET", "/v1/keys", p.keys},
		{"GET", "/v1/decisions", p.decisions},
		{"GET", "/v1/decisions/{id}", p.decision},
		{"GET", "/v1/config", p.configuration},
		{"POST", "/v1/explain", p.explain},
		{"POST", "/v1/reset", p.readOnly(p.reset)},
	} {
		private.HandleFunc(one.method+" "+one.path, one.handler)
		private.Handle(one.path, only(one.method))
	}
	private.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		httplimit.NewProblem(http.StatusNotFound, "There is nothing here; there are /healthz, /readyz, /metrics, and below /v1/ live, keys, decisions, explain, config and reset.").Write(w)
	})

	// Health is for orchestrators, which have no token.
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.Handle("/healthz", only("GET"))
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { ready(e, w) })
	mux.Handle("/readyz", only("GET"))
	page := guardPage(o, newPage(o.Token != ""))
	for _, path := range []string{"/{$}", "/page/"} {
		mux.Handle("GET "+path, page)
		mux.Handle(path, only("GET"))
	}
	mux.Handle("/", guard(o, private))
	return mux
}

// port answers what is behind the guard.
type port struct {
	engine  Engine
	trail   Trail
	options Options
}

// only answers the methods that the path does not take.
func only(method string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", method)
		httplimit.NewProblem(http.StatusMethodNotAllowed, r.URL.Path+" takes "+method+", not "+r.Method+".").Write(w)
	})
}

func ready(e Engine, w http.ResponseWriter) {
	s := e.Status()
	status := http.StatusOK
	if !s.Ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, s)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // the client is gone if this fails
}
