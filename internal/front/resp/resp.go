// Package resp is the front that speaks the protocol of Redis, so that any client
// of Redis can ask weir with one command:
//
//	CL.THROTTLE user:42 15 30 60
//
// It turns commands into checks and results into replies; who decides is the
// [Engine]. All commands that have arrived together are decided together, and
// their replies keep their order.
//
//	server := resp.New(engine, resp.Options{Token: token})
//	go server.Serve(listener)
//	defer server.Shutdown(ctx)
//
// # Errors
//
// A refusal is a reply with a first integer of 1. A bad command gets an error
// reply and the connection goes on; what is not the protocol gets one too, and
// the connection ends, as with Redis.
//
// # Concurrency
//
// A goroutine serves each connection. Shutdown and Close wait for all of them.
package resp

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"time"

	"github.com/weirhq/weir"
)

// Engine is what the front asks.
type Engine interface {
	// DecideEach decides checks that have nothing to do with each other, in
	// order; see [weir.TakeEach]. The first n are decided.
	DecideEach(ctx context.Context, checks []weir.Check, results []weir.Result) (n int, err error)
	// Forget resets the keys.
	Forget(ctx context.Context, keys []weir.Key) error
}

// Watcher is told what happens, for metrics. Its methods are called from many
// goroutines.
type Watcher interface {
	// Connected is told 1 for a connection that begins, -1 for one that ends.
	Connected(delta int)
	// TurnedAway is told of a connection beyond the bound.
	TurnedAway()
	// Commands is told how many commands of a name have come: one of [Names], or
	// [Unknown].
	Commands(name string, n int)
}

// Options shape the front. The zero value is a good one, but resets nothing.
type Options struct {
	// Token is what AUTH takes and DEL asks for. Without one there is no DEL.
	Token string
	// MaxConnections bounds the connections open at a time; default 10,000.
	MaxConnections int
	// Idle is how long a connection may say nothing, and up to an eighth of it more;
	// default 10 minutes.
	Idle time.Duration
	// Patience is how long a command may take from its first byte to its last,
	// a client to read what it has been answered (or up to an eighth more), and a
	// TLS handshake; default 10 s.
	Patience time.Duration
	// Watcher may be nil.
	Watcher Watcher
	// Log is told of faults of weir's own; nil is [slog.Default].
	Log *slog.Logger
}

const (
	defaultMaxConnections = 10_000
	defaultIdle           = 10 * time.Minute
	defaultPatience       = 10 * time.Second
)

// New makes a server.
func New(e Engine, o Options) *Server {
	if o.MaxConnections <= 0 {
		o.MaxConnections = defaultMaxConnections
	}
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.Watcher == nil {
		o.Watcher = unwatched{}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Server{engine: e, Options: o, token: sha256.Sum256([]byte(o.Token)), open: map[*connection]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

type unwatched struct{}

func (unwatched) Connected(int)        {}
func (unwatched) TurnedAway()          {}
func (unwatched) Commands(string, int) {}
