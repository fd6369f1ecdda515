package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oklog/run"

	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/receipt"
)

// Bounds on what a client may hold open.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	drainTimeout      = 10 * time.Second
)

// Run serves until the context ends or SIGTERM or SIGINT arrives, then drains:
// requests under way are answered, new connections are not taken. SIGHUP
// reloads. What to try is printed to stdout.
func Run(ctx context.Context, o Options, stdout io.Writer, log *slog.Logger) error {
	if err := o.validate(); err != nil {
		return err
	}
	l, config, err := load(&o)
	if err != nil {
		return &UsageError{err}
	}
	if o.Store == "" {
		o.Store = config.Store
	}
	store, err := openStore(o.Store)
	if err != nil {
		return err
	}
	defer store.Close()

	metrics := admin.NewMetrics()
	metrics.WatchKeys(store.Len)
	engine := &Engine{store: store, signer: receipt.NewSigner([]byte(o.Secret)), metrics: metrics, kind: "memory", keys: store.Len}
	engine.use(l)
	logWarnings(log, l)

	var actors run.Group
	addresses := map[string]string{}
	for _, s := range []struct {
		name, address string
		handler       http.Handler
	}{
		{"http", o.HTTP, traffic(engine)},
		{"admin", o.Admin, admin.New(engine, metrics, admin.Options{Token: o.Token})},
	} {
		if s.address == "" {
			continue
		}
		listener, err := net.Listen("tcp", s.address)
		if err != nil {
			return usage("--%s %s: %w", s.name, s.address, err)
		}
		addresses[s.name] = listener.Addr().String()
		addServer(&actors, listener, s.handler, engine, log)
	}
	if len(addresses) == 0 {
		return usage("nothing to serve: every listener is off")
	}
	addWatcher(&actors, newWatcher(&o, engine, log))
	actors.Add(run.ContextHandler(ctx))
	actors.Add(run.SignalHandler(ctx, syscall.SIGTERM, syscall.SIGINT))

	printBanner(stdout, addresses, l, o.Store)
	log.Info("serving", "http", addresses["http"], "admin", addresses["admin"], "store", "memory:")
	err = actors.Run()
	if stopped := (*run.SignalError)(nil); errors.As(err, &stopped) || errors.Is(err, context.Canceled) {
		log.Info("drained, stopping", "because", err)
		return nil
	}
	return err
}

// addServer serves on the listener until the actors stop, then drains.
func addServer(actors *run.Group, listener net.Listener, handler http.Handler, e *Engine, log *slog.Logger) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	drained := make(chan struct{})
	actors.Add(func() error {
		err := server.Serve(listener)
		if errors.Is(err, http.ErrServerClosed) {
			<-drained // Serve returns when draining begins
			return nil
		}
		return fmt.Errorf("daemon: serve %s: %w", listener.Addr(), err)
	}, func(error) {
		e.draining.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			server.Close()
		}
		close(drained)
	})
}

func addWatcher(actors *run.Group, w *watcher) {
	ctx, cancel := context.WithCancel(context.Background())
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	actors.Add(func() error { return w.run(ctx, hup) }, func(error) {
		signal.Stop(hup)
		cancel()
	})
}
