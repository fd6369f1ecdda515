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
	r.engine.metrics.Reloaded(err)
	if err != nil {
		r.engine.setRefused(err.Error())
		logRefused(r.log, r.options.Config, err)
		return read
	}
	r.options.plans.follow(l.config.Clients.Redis, r.log)
	r.engine.use(l)
	r.log.Info("configuration loaded", "file", l.source(), "layers", l.policy.Layers(), "domains", l.domains(), "warnings", len(l.warnings))
	logWarnings(r.log, l)
	for _, name := range l.later(r.start, r.options) {
		r.log.Warn("this setting takes effect after a restart", "setting", name)
	}
	return read
}
