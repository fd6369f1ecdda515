package tracing

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// asksForTraces reports whether the environment asks for spans, or why it asks in
// vain. What is not named here, the SDK reads by itself.
func asksForTraces() (bool, error) {
	exporter, endpoint := variable("OTEL_TRACES_EXPORTER"), tracesOr("ENDPOINT")
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"), exporter.value == "none":
		return false, nil
	case exporter.value == "" && endpoint.value == "":
		return false, nil
	case exporter.value != "" && exporter.value != "otlp":
		return false, exporter.wrong("write otlp or none")
	}
	if err := endpoint.isURL(); err != nil {
		return false, err
	}
	switch protocol := tracesOr("PROTOCOL"); protocol.value {
	case "", "http/protobuf", "http/json":
	default:
		return false, protocol.wrong("weir speaks http/protobuf and http/json, on port 4318 of most collectors")
	}
	err := queueMakesSense()
	return err == nil, err
}

// queueMakesSense keeps from the SDK what it panics at, or would take for endless.
func queueMakesSense() error {
	for _, v := range []struct {
		name string
		most int
	}{
		{"OTEL_BSP_MAX_QUEUE_SIZE", 1 << 20}, {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1 << 20},
		{"OTEL_BSP_SCHEDULE_DELAY", 3_600_000}, {"OTEL_BSP_EXPORT_TIMEOUT", 3_600_000},
	} {
		s := variable(v.name)
		if n, err := strconv.Atoi(s.value); s.value != "" && (err != nil || n < 1 || n > v.most) {
			return s.wrong(fmt.Sprintf("write a number from 1 to %d", v.most))
		}
	}
	return nil
}

// setting is a variable of the environment. Empty is as good as none.
type setting struct{ name, value string }

func variable(name string) setting { return setting{name, strings.TrimSpace(os.Getenv(name))} }

// tracesOr is what is set for traces, or else for all signals.
func tracesOr(name string) setting {
	if own := variable("OTEL_EXPORTER_OTLP_TRACES_" + name); own.value != "" {
		return own
	}
	return variable("OTEL_EXPORTER_OTLP_" + name)
}

func (s setting) wrong(hint string) error {
	return fmt.Errorf("tracing: %s is %q: %s", s.name, s.value, hint)
}

// isURL refuses what the SDK would replace by its default without a word that
// stops anybody. The error does not repeat the value, which may hold a password.
func (s setting) isURL() error {
	if s.value == "" {
		return nil
	}
	u, err := url.Parse(s.value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("tracing: %s is not a URL: write http://HOST:4318", s.name)
	}
	return nil
}
