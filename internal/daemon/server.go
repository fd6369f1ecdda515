package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/oklog/run"

	"github.com/weirhq/weir/httplimit"
)

// Bounds on what a client may hold open.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second // from the end of the header
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	// maxCheckBytes bounds the header of a check, which repeats that of the request
	// and its URI. It is above what any proxy takes from a client by default, 1 MiB
	// in those of Go: a check that fails for its length would pass where weir fails
	// open.
	maxCheckBytes = 2<<20 + maxHeaderBytes
	drainTimeout  = 10 * time.Second
)

// server answers on a listener, as *http.Server does.
type server interface {
	// Serve returns when it fails, or when Shutdown or Close begins.
	Serve(net.Listener) error
	// Shutdown takes nobody new and returns when what was under way is answered.
	Shutdown(context.Context) error
	// Close cuts off what is left.
	Close() error
}

// endpoint is an address to listen on, and who answers there.
type endpoint struct {
	name, flag, address string
	server              server
	// asksCertificate: the server itself turns away who shows no certificate
	// where one is needed; else they get no connection.
	asksCertificate bool
}

type listener struct {
	net.Listener
	endpoint
}

// listen opens all endpoints that have an address, or none. With certificates
// they speak TLS.
func listen(endpoints []endpoint, certificates *certificates) (open []*listener, err error) {
	for _, e := range endpoints {
		if e.address == "" {
			continue
		}
		l, err := net.Listen("tcp", e.address)
		if err != nil {
			for _, one := range open {
				one.Close()
			}
			return nil, usage("%s %s: %w", e.flag, e.address, cause(err))
		}
		if certificates != nil {
			l = certificates.listener(l, e.asksCertificate)
		}
		open = append(open, &listener{l, e})
	}
	return open, nil
}

// cause is what is behind "listen tcp 127.0.0.1:80: bind:".
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// newHTTPServer bounds what a client of the handler may hold open.
func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           answerPanics(handler, log),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // clients' mistakes
	}
}

// addServers serves on the listeners until the actors stop, then drains. They
// drain side by side, for none is to wait for another's clients; but the last, the
// admin port, drains after the others, to tell until then that weir is not ready.
func addServers(actors *run.Group, listeners []*listener, log *slog.Logger) {
	var others sync.WaitGroup
	for i, l := range listeners {
		if last := i == len(listeners)-1; last {
			addServer(actors, l, func() { others.Wait(); drain(l, log) })
			continue
		}
		others.Add(1)
		addServer(actors, l, func() { defer others.Done(); drain(l, log) })
	}
}

func addServer(actors *run.Group, l *listener, drain func()) {
	stopping, stop := context.WithCancel(context.Background())
	drained := make(chan struct{})
	actors.Add(func() error {
		err := l.server.Serve(l)
		if stopping.Err() != nil {
			<-drained
			return nil
		}
		return fmt.Errorf("daemon: serve %s: %w", l.Addr(), err)
	}, func(error) {
		stop()
		go func() {
			defer close(drained)
			drain()
		}()
	})
}

func drain(l *listener, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := l.server.Shutdown(ctx); err != nil {
		log.Warn("requests were cut off", "listener", l.name, "after", drainTimeout)
		l.server.Close()
	}
}

// answerPanics keeps a mistake of ours in one request, and in the log. net/http
// would cut the connection off without an answer.
func answerPanics(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler: // an answer that broke off is to look broken
				panic(p)
			default:
				log.Error("panic, please report it", "panic", fmt.Sprint(p), "method", r.Method, "path", r.URL.Path, "stack", string(debug.Stack()))
				httplimit.NewProblem(http.StatusInternalServerError, "This is a fault of weir's; its log has more.").Write(w)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
