package admin

import (
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// DecidedEach counts checks that were requests of their own, and were decided
// together in this time. Neighbours of one limit are counted at once: there are
// hundreds of thousands a second.
func (m *Metrics) DecidedEach(checks []weir.Check, results []weir.Result, took time.Duration) {
	if len(checks) == 0 {
		return
	}
	m.seconds.Observe(took.Seconds())
	allowed, refused := 0, 0
	for i := range checks {
		if results[i].Allowed {
			allowed++
		} else {
			refused++
		}
		key, last := &checks[i].Key, i == len(checks)-1
		if last || checks[i+1].Key.Limit != key.Limit || checks[i+1].Key.Layer != key.Layer {
			m.count(key, "allowed", allowed)
			m.count(key, "refused", refused)
			allowed, refused = 0, 0
		}
	}
}

func (m *Metrics) count(key *weir.Key, outcome string, n int) {
	if n > 0 {
		m.requests.of(outcome).Add(float64(n))
		m.checks.of(counted{key.Layer, limitLabel(key), outcome}).Add(float64(n))
	}
}

// limitLabel leaves out what is a client's to choose.
func limitLabel(key *weir.Key) string {
	if key.Layer != adHoc {
		return key.Limit
	}
	label, _, _ := strings.Cut(key.Limit, "#")
	return label
}
