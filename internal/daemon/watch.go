package daemon

import (
	"context"
	"os"
	"time"
)

// pollEvery is how often the configuration's files are looked at. Looking beats
// being told: it sees an edit in place, a rename over, a symlink swapped two
// directories up, a file gone and back, on any file system, all the same way.
const pollEvery = 250 * time.Millisecond

// watcher loads files anew when their content has changed, once for each change.
type watcher struct {
	load  func() contents // returns what it read, whatever came of it
	tried contents        // what the last load read
	last  contents        // what the last look found
}

func newWatcher(read contents, load func() contents) *watcher {
	return &watcher{load: load, tried: read, last: read}
}

// run polls until the context ends; a receive on now loads at once, changed or
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

func (w *watcher) reload() {
	w.tried = w.load()
	w.last = w.tried
}
