package admin

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/weirhq/weir"
)

// Metrics counts decisions for Prometheus. Labels come from the configuration,
// never from a request, so that their number is bounded.
type Metrics struct {
	registry *prometheus.Registry
	requests *counters[string]
	checks   *counters[counted]
	seconds  prometheus.Histogram
	store    prometheus.Histogram
	errors   prometheus.Counter
	reloads  *prometheus.CounterVec
	valid    prometheus.Gauge
	loaded   prometheus.Gauge
	replaced prometheus.Counter
	resolved *counters[string]
}

// counted is what checks are counted by.
type counted struct{ layer, limit, outcome string }

func (c counted) labels() []string { return []string{c.layer, c.limit, c.outcome} }

// NewMetrics makes the collectors, with those of the Go runtime and the process.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: newCounters("weir_requests_total", "Requests decided, by outcome: allowed, refused, denied.",
			[]string{"outcome"}, oneLabel),
		checks: newCounters("weir_checks_total", "Checks decided, by limit and outcome: allowed, refused, shadow_allowed, shadow_refused.",
			[]string{"layer", "limit", "outcome"}, counted.labels),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weir_decision_duration_seconds", Help: "Time to decide a request, the store included.",
			Buckets: []float64{1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 2e-2, 0.1, 1},
		}),
		store: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weir_store_duration_seconds", Help: "Time that a take of the shared store took, failed ones too. In memory it is part of the decision, and nothing is counted here.",
			Buckets: []float64{5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 1},
		}),
		errors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_errors_total", Help: "Requests for which no decision could be made.",
		}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_config_reloads_total", Help: "Reloads of the configuration, by result: ok, refused.",
		}, []string{"result"}),
		valid: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "weir_config_valid", Help: "1 if the configuration file as it is now is in use, 0 if it was refused.",
		}),
		loaded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "weir_config_loaded_timestamp_seconds", Help: "When the configuration in use was loaded.",
		}),
		resolved: newCounters("weir_client_address_total", "Client addresses, by how they were come by: direct, ignored, absent, found, all_trusted, junk.",
			[]string{"outcome"}, oneLabel),
		replaced: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_store_replaced_total", Help: "Foreign or damaged values found under keys of the store, and replaced.",
		}),
	}
	m.registry.MustRegister(m.requests.vector, m.checks.vector, m.seconds, m.store, m.errors, m.reloads, m.valid, m.loaded, m.replaced, m.resolved.vector,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// WatchKeys exports the number of keys that the memory store holds.
func (m *Metrics) WatchKeys(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "weir_memory_keys", Help: "Keys held by the in-memory store.",
	}, func() float64 { return float64(count()) }))
}

// Decided counts a decision that took this long.
func (m *Metrics) Decided(d *weir.Decision, took time.Duration) {
	m.seconds.Observe(took.Seconds())
	switch {
	case d.Denied != "":
		m.requests.of("denied").Inc()
	case d.Allowed:
		m.requests.of("allowed").Inc()
	default:
		m.requests.of("refused").Inc()
	}
	for i := range d.Results {
		key := &d.Checks[i].Key
		m.checks.of(counted{key.Layer, limitLabel(key), outcome(&d.Checks[i], &d.Results[i])}).Inc()
	}
}

// adHoc is the layer of checks that are made without the policy.
const adHoc = "adhoc"

func outcome(c *weir.Check, r *weir.Result) string {
	switch shadow := c.Group != nil && c.Group.Shadow; {
	case shadow && r.Allowed:
		return "shadow_allowed"
	case shadow:
		return "shadow_refused"
	case r.Allowed:
		return "allowed"
	default:
		return "refused"
	}
}

// Resolved counts how a client's address was come by.
func (m *Metrics) Resolved(outcome string) { m.resolved.of(outcome).Inc() }

// Failed counts a request for which no decision could be made.
func (m *Metrics) Failed() { m.errors.Inc() }

// StoreTook notes how long a take of the shared store took.
func (m *Metrics) StoreTook(d time.Duration) { m.store.Observe(d.Seconds()) }

// Reloaded counts a reload; a nil error means that the configuration is in use.
func (m *Metrics) Reloaded(err error) {
	if err != nil {
		m.reloads.WithLabelValues("refused").Inc()
		m.valid.Set(0)
		return
	}
	m.reloads.WithLabelValues("ok").Inc()
	m.Loaded()
}

// Loaded notes that the configuration as it is now is in use.
func (m *Metrics) Loaded() {
	m.valid.Set(1)
	m.loaded.SetToCurrentTime()
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
