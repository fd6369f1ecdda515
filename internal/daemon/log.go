package daemon

import (
	"log/slog"
	"strings"
)

// source is where the configuration is from, for people.
func (l *loaded) source() string {
	if l.file == "" {
		return "(default)"
	}
	return l.file
}

// logRefused says each mistake on a line of its own.
func logRefused(log *slog.Logger, file string, err error) {
	log.Error("configuration refused, the one before stays in use", "file", file)
	for line := range strings.Lines(err.Error()) {
		log.Error("configuration: " + strings.TrimSuffix(line, "\n"))
	}
}

func logWarnings(log *slog.Logger, l *loaded) {
	for _, w := range l.warnings {
		if l.file == "" {
			w.File, w.Path = "", "" // there is no file to look into
		}
		log.Warn("configuration: " + w.String())
	}
}

// logServing says where weir listens, for programs that read it.
func logServing(log *slog.Logger, listeners []*listener, l *loaded, store string) {
	attributes := []any{"config", l.source(), "layers", l.policy.Layers(), "store", store}
	if domains := l.domains(); domains != nil {
		attributes = append(attributes, "domains", domains)
	}
	for _, one := range listeners {
		attributes = append(attributes, one.name, one.Addr().String())
	}
	log.Info("serving", attributes...)
}
