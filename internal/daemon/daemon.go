package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/oklog/run"

	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/tracing"
	"github.com/weirhq/weir/internal/trail"
)

// Run serves until the context ends or SIGTERM or SIGINT arrives, then drains:
// requests under way are answered, new connections are not taken. A second
// signal ends the process at once. SIGHUP reloads. What to try is printed to
// stdout.
func Run(ctx context.Context, o Options, stdout io.Writer, log *slog.Logger) error {
	if err := o.validate(); err != nil {
		return err
	}
	defer runtime.KeepAlive(headroom())
	o.plans = &planSource{}
	l, read, err := load(&o)
	if err != nil {
		return &UsageError{err}
	}
	tracer := tracing.Start(log)
	defer tracer.Close()
	metrics := admin.NewMetrics()
	store, err := openBackend(ctx, o.storeURL(l.config), l.config, metrics, tracer, log)
	if err != nil {
		return err
	}
	defer store.close()
	o.plans.on(store.shared)
	o.plans.follow(l.config.Clients.Redis, log)
	defer o.plans.close()
	engine := newEngine(store, metrics, l)
	engine.tracer = tracer

	certificates, err := openCertificates(o.TLS, log)
	if err != nil {
		return err
	}
	listeners, err := listen(endpoints(&o, engine, log), certificates)
	if err != nil {
		return err
	}
	var actors run.Group
	addSignals(ctx, &actors, engine, log)
	addTrail(&actors, engine.trail)
	addServers(&actors, listeners, log)
	addWatcher(&actors, newWatcher(read, (&reloader{&o, engine, l, log}).load))
	if certificates != nil {
		addWatcher(&actors, newWatcher(certificates.read, certificates.reload))
	}

	printBanner(stdout, listeners, l, store.kind, &o)
	logServing(log, listeners, l, store.kind)
	logWarnings(log, l)
	err = actors.Run()
	if stopped := (*stopError)(nil); errors.As(err, &stopped) {
		log.Info("stopped")
		return nil
	}
	return err
}

// endpoints are all there may be, those that are off too. The admin port comes
// last: see addServers.
func endpoints(o *Options, e *Engine, log *slog.Logger) []endpoint {
	private := admin.New(e, e.trail, e.metrics, admin.Options{Token: o.Token, ClientCert: o.TLS.ClientCA != ""})
	return []endpoint{
		{name: "http", flag: "--http", address: o.HTTP, server: newTrafficServer(o, e, log)},
		{name: "grpc", flag: "--grpc", address: o.GRPC, server: newGRPCServer(o, e, log)},
		{name: "resp", flag: "--resp", address: o.RESP, server: newRESPServer(o, e, log)},
		{name: "admin", flag: "--admin", address: o.Admin, server: newHTTPServer(private, log), asksCertificate: true},
	}
}

// stopError says that weir was asked to stop.
type stopError struct{ why string }

func (e *stopError) Error() string { return e.why }

// addSignals stops the actors when weir is asked to stop. It comes first, so that
// the port is not ready any more before a listener closes. Signals are caught
// from here on, before anybody can know that weir runs.
func addSignals(ctx context.Context, actors *run.Group, e *Engine, log *slog.Logger) {
	ctx, cancel := context.WithCancel(ctx)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	actors.Add(func() error {
		defer signal.Stop(stop)
		select {
		case s := <-stop:
			return &stopError{s.String()}
		case <-ctx.Done():
			return &stopError{ctx.Err().Error()}
		}
	}, func(err error) {
		e.draining.Store(true)
		log.Info("draining", "because", fmt.Sprint(err), "at_most", drainTimeout)
		cancel()
	})
}

// addTrail makes ticks. It ends those who listen before the admin port waits for
// them.
func addTrail(actors *run.Group, t *trail.Trail) {
	ctx, cancel := context.WithCancel(context.Background())
	actors.Add(func() error { return t.Run(ctx) }, func(error) { cancel() })
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
