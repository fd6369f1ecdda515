package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"log/slog"
	"os"
	"time"
)

// pollEvery is how often the configuration's files are looked at. Looking beats
// being told: it sees an edit in place, a rename over, a symlink swapped two
// directories up, a file gone and back, on any file system, all the same way.
const pollEvery = 500 * time.Millisecond

// watcher reloads when a file's content has changed, once for each change.
type watcher struct {
	options *Options
	engine  *Engine
	log     *slog.Logger
	seen    []byte // fingerprint of the content that was last tried
}

func newWatcher(o *Options, e *Engine, log *slog.Logger) *watcher {
	w := &watcher{options: o, engine: e, log: log}
	w.seen = w.fingerprint()
	return w
}

// run polls until the context ends; a receive on now reloads at once, changed or
// not.
func (w *watcher) run(ctx context.Context, now <-chan os.Signal) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-now:
			w.seen = w.fingerprint()
			w.reload()
		case <-tick.C:
			if print := w.fingerprint(); !bytes.Equal(print, w.seen) {
				w.seen = print
				w.reload()
			}
		}
	}
}

// fingerprint is a hash over all the files that the configuration is made of.
func (w *watcher) fingerprint() []byte {
	h := sha256.New()
	for _, name := range w.engine.current.Load().files() {
		f, err := os.Open(name)
		if err != nil {
			io.WriteString(h, "missing\n")
			continue
		}
		n, _ := io.Copy(h, f)
		f.Close()
		h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	}
	return h.Sum(nil)
}

// reload swaps in the new configuration, or keeps the old one and says why.
func (w *watcher) reload() {
	l, _, err := load(w.options)
	w.engine.metrics.Reloaded(err)
	if err != nil {
		w.engine.setRefused(err.Error())
		w.log.Error("configuration refused; the one before stays in use", "file", w.options.Config, "error", err)
		return
	}
	w.engine.use(l)
	w.log.Info("configuration loaded", "file", w.options.Config, "warnings", len(l.warnings))
	logWarnings(w.log, l)
}

// files are the files that the configuration is made of.
func (l *loaded) files() []string {
	if l.file == "" {
		return nil
	}
	return append([]string{l.file}, l.policy.Files()...)
}

func logWarnings(log *slog.Logger, l *loaded) {
	for _, warning := range l.warnings {
		log.Warn(warning.String())
	}
}
