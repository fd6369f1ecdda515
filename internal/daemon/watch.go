package daemon

import (
	"context"
	"log/slog"
	"os"
	"time"
)

// pollEvery is how often the configuration's files are looked at. Looking beats
// being told: it sees an edit in place, a rename over, a symlink swapped two
// directories up, a file gone and back, on any file system, all the same way.
const pollEvery = 250 * time.Millisecond

// watcher reloads when a file's content has changed, once for each change.
type watcher struct {
	options *Options
	engine  *Engine
	log     *slog.Logger
	start   *loaded
	tried   contents // what the last load read, whatever came of it
	last    contents // what the last look found
}

func newWatcher(o *Options, e *Engine, l *loaded, read contents, log *slog.Logger) *watcher {
	return &watcher{options: o, engine: e, log: log, start: l, tried: read, last: read}
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
			w.reload()
		case <-tick.C:
			if w.changed() {
				w.reload()
			}
		}
	}
}

// changed reports whether the files hold something new, and held it at the look
// before too: one that is being written is left to be finished. Half a file may
// well be valid, with half of the layers.
func (w *watcher) changed() bool {
	found := w.tried.look()
	settled := found.equal(w.last)
	w.last = found
	return settled && !found.equal(w.tried)
}

// reload swaps in the new configuration, or keeps the old one and says why.
func (w *watcher) reload() {
	l, read, err := load(w.options)
	w.tried, w.last = read, read
	w.engine.metrics.Reloaded(err)
	if err != nil {
		w.engine.setRefused(err.Error())
		logRefused(w.log, w.options.Config, err)
		return
	}
	w.options.plans.follow(l.config.Clients.Redis, w.log)
	w.engine.use(l)
	w.log.Info("configuration loaded", "file", l.source(), "layers", l.policy.Layers(), "warnings", len(l.warnings))
	logWarnings(w.log, l)
	for _, name := range l.later(w.start, w.options) {
		w.log.Warn("this setting takes effect after a restart", "setting", name)
	}
}
