package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirhq/weir/failover"
	"github.com/weirhq/weir/lease"
)

// WatchStore exports how a store that can fail does.
func (m *Metrics) WatchStore(stats func() failover.Stats) {
	for _, c := range []struct {
		name, help string
		value      func(failover.Stats) int64
	}{
		{"weir_store_failures_total", "Calls of the store that failed or did not answer in time.", func(s failover.Stats) int64 { return s.Failures }},
		{"weir_store_cancelled_total", "Calls of the store whose caller hung up.", func(s failover.Stats) int64 { return s.Cancelled }},
		{"weir_degraded_total", "Requests decided without the store, as on_error says.", func(s failover.Stats) int64 { return s.Degraded }},
		{"weir_unavailable_total", "Requests for which on_error: deny made no decision.", func(s failover.Stats) int64 { return s.Unavailable }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help},
			func() float64 { return float64(c.value(stats())) }))
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "weir_store_up", Help: "1 while the store is asked, 0 while on_error decides.",
	}, func() float64 {
		if stats().State == "closed" {
			return 1
		}
		return 0
	}))
}

// WatchDenyCache exports how many requests were refused without asking the store.
func (m *Metrics) WatchDenyCache(hits func() int64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "weir_deny_cache_hits_total", Help: "Requests refused again without asking the store.",
	}, func() float64 { return float64(hits()) }))
}

// WatchLeases exports what was taken ahead of a shared store.
func (m *Metrics) WatchLeases(stats func() lease.Stats) {
	for _, c := range []struct {
		name, help string
		value      func(lease.Stats) int64
	}{
		{"weir_leases_total", "Leases taken of busy keys.", func(s lease.Stats) int64 { return s.Taken }},
		{"weir_leased_requests_total", "Requests admitted from leases, without asking the store.", func(s lease.Stats) int64 { return s.Local }},
		{"weir_leases_given_back_total", "Cost that was leased, not used and given back.", func(s lease.Stats) int64 { return s.GivenBack }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help},
			func() float64 { return float64(c.value(stats())) }))
	}
}

// Replaced counts values of the store that were none of weir's.
func (m *Metrics) Replaced(n int) { m.replaced.Add(float64(n)) }
