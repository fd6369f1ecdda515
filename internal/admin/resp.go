package admin

import "github.com/prometheus/client_golang/prometheus"

// RESP counts what the RESP port does.
type RESP struct {
	connections prometheus.Gauge
	turnedAway  prometheus.Counter
	commands    map[string]prometheus.Counter // it is not written to
}

// RESP makes the collectors, with a label for each of these commands. It is called
// once.
func (m *Metrics) RESP(commands ...string) *RESP {
	counters := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "weir_resp_commands_total", Help: "Commands on the RESP port, by name; unknown is all others.",
	}, []string{"command"})
	r := &RESP{
		connections: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "weir_resp_connections", Help: "Connections open on the RESP port.",
		}),
		turnedAway: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_resp_turned_away_total", Help: "Connections to the RESP port that were one too many.",
		}),
		commands: map[string]prometheus.Counter{},
	}
	for _, name := range commands {
		r.commands[name] = counters.WithLabelValues(name)
	}
	m.registry.MustRegister(r.connections, r.turnedAway, counters)
	return r
}

// Connected counts a connection that begins (1) or ends (-1).
func (r *RESP) Connected(delta int) { r.connections.Add(float64(delta)) }

// TurnedAway counts a connection beyond the bound.
func (r *RESP) TurnedAway() { r.turnedAway.Inc() }

// Commands counts n commands of a name that RESP was made with.
func (r *RESP) Commands(name string, n int) { r.commands[name].Add(float64(n)) }
