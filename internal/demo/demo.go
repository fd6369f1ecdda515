// Package demo shows what weir does: a daemon in memory as the proxy of a small
// upstream, and callers of several kinds that keep it busy.
//
//	err := demo.Run(ctx, demo.Options{}, stdout, log)
//
// # Errors
//
// Those of package daemon.
//
// # Concurrency
//
// Run returns when all it started has ended.
package demo

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Options shape a demo. The zero value is a good one.
type Options struct {
	// HTTP and Admin are the proxy's address and the dashboard's. Empty is weir's
	// usual port on loopback, or a free one where that is taken.
	HTTP, Admin string
	// Duration is how long it runs; 0 until the context ends. What callers have
	// begun, they finish.
	Duration time.Duration
	// Token is asked for on the admin port; empty asks for none.
	Token string
}

// reportEvery is how often a line says what happens.
const reportEvery = 5 * time.Second

//go:embed weir.yaml
var policy []byte

// Run runs the demo and says on stdout what happens.
func Run(ctx context.Context, o Options, stdout io.Writer, log *slog.Logger) error {
	o.HTTP, o.Admin = addressOr(o.HTTP, "127.0.0.1:8080"), addressOr(o.Admin, "127.0.0.1:9090")
	file, remove, err := writePolicy()
	if err != nil {
		return fmt.Errorf("demo: write the policy: %w", err)
	}
	defer remove()
	upstream, err := startUpstream()
	if err != nil {
		return fmt.Errorf("demo: start the upstream: %w", err)
	}
	defer upstream.Close()
	weir := startDaemon(&o, file, upstream.URL(), log)
	if err := weir.ready(ctx); err != nil {
		return err
	}
	introduce(stdout, &o, file)
	callers := startCallers(ctx, "http://"+o.HTTP)
	watch(ctx, &o, weir, stdout)
	callers.finish()
	total, err := weir.counts()
	if err == nil {
		total.table(stdout)
	}
	return weir.stop()
}

// watch says what happens until it is time to end.
func watch(ctx context.Context, o *Options, weir *daemon, stdout io.Writer) {
	var over <-chan time.Time
	if o.Duration > 0 {
		over = time.After(o.Duration)
	}
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	var before counts
	for {
		select {
		case now := <-ticker.C:
			if c, err := weir.counts(); err == nil {
				fmt.Fprintln(stdout, now.Format(time.TimeOnly), c.since(&before))
				before = c
			}
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-weir.ended:
			return
		}
	}
}

// writePolicy puts the policy where whoever watches can change it.
func writePolicy() (file string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "weir-demo-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	file = filepath.Join(dir, "weir.yaml")
	if err := os.WriteFile(file, policy, 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return file, remove, nil
}

func introduce(w io.Writer, o *Options, file string) {
	fmt.Fprintf(w, "The dashboard is at http://%s/, the metrics at http://%s/metrics.\n\n", o.Admin, o.Admin)
	fmt.Fprintf(w, "These callers send requests by http://%s to a small upstream:\n", o.HTTP)
	for _, k := range kinds {
		fmt.Fprintf(w, "%4d %-19s %s\n", k.callers, k.name, k.fate)
	}
	fmt.Fprintf(w, "\nBe one of them:    curl -i http://%s/search\n", o.HTTP)
	fmt.Fprintf(w, "Change the limits: %s\n", file)
	fmt.Fprintln(w, "Ctrl-C ends it.")
	fmt.Fprintln(w)
}
