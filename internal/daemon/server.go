package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/oklog/run"
)

// Bounds on what a client may hold open.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second // from the end of the header
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	drainTimeout      = 10 * time.Second
)

// endpoint is an address to listen on, and who answers there.
type endpoint struct {
	name, flag, address string
	handler             http.Handler
}

type listener struct {
	net.Listener
	endpoint
}

// listen opens all endpoints that have an address, or none.
func listen(endpoints []endpoint) (open []*listener, err error) {
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

// addServer serves on the listener until the actors stop, then drains.
func addServer(actors *run.Group, l *listener, log *slog.Logger) {
	server := &http.Server{
		Handler:           answerPanics(l.handler, log),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // clients' mistakes
	}
	// Serve returns when draining begins; the actors wait for its end.
	actors.Add(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("daemon: serve %s: %w", l.Addr(), err)
		}
		return nil
	}, func(error) {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			log.Warn("requests were cut off", "listener", l.name, "after", drainTimeout)
			server.Close()
		}
	})
}

// answerPanics keeps a mistake of ours in one request, and in the log. net/http
// would cut the connection off without an answer.
func answerPanics(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("panic, please report it", "panic", fmt.Sprint(p), "method", r.Method, "path", r.URL.Path, "stack", string(debug.Stack()))
				problem(http.StatusInternalServerError, "This is a fault of weir's; its log has more.").Write(w)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
