package daemon

import "log/slog"

// reloader swaps in the configuration as its files are now, or keeps the one in
// use and says why.
type reloader struct {
	options *Options
	engine  *Engine
	start   *loaded // what cannot be changed any more is as it was in this
	log     *slog.Logger
}

func (r *reloader) load() contents {
	l, read, err := load(r.options)
	r.take(l, read, err)
	return read
}

// take puts what was read in use, unless the files are no longer as they were read:
// then it may be half of the old and half of the new, and the watcher, which sees
// the same, comes again when they have settled.
func (r *reloader) take(l *loaded, read contents, err error) {
	if !read.look().equal(read) {
		r.log.Info("configuration changed while it was read, it is read again")
		return
	}
	r.engine.metrics.Reloaded(err)
	if err != nil {
		r.engine.setRefused(err.Error())
		logRefused(r.log, r.options.Config, err)
		return
	}
	r.options.plans.follow(l.config.Clients.Redis, r.log)
	r.engine.use(l)
	r.log.Info("configuration loaded", "file", l.source(), "layers", l.policy.Layers(), "domains", l.domains(), "warnings", len(l.warnings))
	logWarnings(r.log, l)
	for _, name := range l.later(r.start, r.options) {
		r.log.Warn("this setting takes effect after a restart", "setting", name)
	}
}
