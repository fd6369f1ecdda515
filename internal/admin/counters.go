package admin

import (
	"maps"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counters are those of a vector, found by what their labels are made of. The vector
// itself hashes every label and takes a lock to find one, which for a request under
// three limits was a tenth of a check. There are as few as its labels have values.
type counters[K comparable] struct {
	vector *prometheus.CounterVec
	labels func(K) []string
	known  atomic.Pointer[map[K]prometheus.Counter] // copied to be written
}

func newCounters[K comparable](name, help string, labels []string, values func(K) []string) *counters[K] {
	c := &counters[K]{vector: prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels), labels: values}
	c.known.Store(&map[K]prometheus.Counter{})
	return c
}

// of finds the key's counter, or makes it: before it counts, nobody reads of it. Of two
// who make some at once, one may leave out the other's, which is then found in the
// vector again.
func (c *counters[K]) of(key K) prometheus.Counter {
	known := *c.known.Load()
	if one := known[key]; one != nil {
		return one
	}
	more := maps.Clone(known)
	more[key] = c.vector.WithLabelValues(c.labels(key)...)
	c.known.Store(&more)
	return more[key]
}

// oneLabel is the label of a counter that is known by it.
func oneLabel(label string) []string { return []string{label} }
