package admin

import (
	"strings"
	"sync"
	"testing"
)

// Counters that many make at one time count everything, and nobody who has asked for
// one loses it.
func TestCountersOfManyAtOnce(t *testing.T) {
	m := NewMetrics()
	labels := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 800 {
				m.Resolved(labels[i%len(labels)])
			}
		})
	}
	all.Wait()
	text := metrics(t, m)
	for _, label := range labels {
		if want := `weir_client_address_total{outcome="` + label + `"} 800`; !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
}
