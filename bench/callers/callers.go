// Package callers is a closed load: so many callers, each of whom waits for an answer
// before it asks again.
package callers

import (
	"slices"
	"sync"
	"time"
)

// Load is what callers got.
type Load struct {
	Calls    int
	Took     time.Duration
	P50, P99 time.Duration // of a call
}

// PerSecond is the rate of calls.
func (l Load) PerSecond() float64 { return float64(l.Calls) / l.Took.Seconds() }

// Ask has n callers call ask for a while, each at least once, and says how it went.
// It is told which caller it is. The first error of each caller ends its calls.
func Ask(n int, during time.Duration, ask func(caller int) error) (Load, error) {
	latencies, errs := make([][]time.Duration, n), make([]error, n)
	begun := time.Now()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { latencies[i], errs[i] = call(begun.Add(during), func() error { return ask(i) }) })
	}
	all.Wait()
	l := Load{Took: time.Since(begun)}
	for _, err := range errs {
		if err != nil {
			return Load{}, err
		}
	}
	sorted := slices.Concat(latencies...)
	slices.Sort(sorted)
	l.Calls, l.P50, l.P99 = len(sorted), sorted[len(sorted)/2], sorted[len(sorted)*99/100]
	return l, nil
}

func call(end time.Time, ask func() error) (latencies []time.Duration, err error) {
	for now := time.Now(); len(latencies) == 0 || now.Before(end); { // once at least, on whatever machine
		if err := ask(); err != nil {
			return nil, err
		}
		after := time.Now()
		latencies = append(latencies, after.Sub(now))
		now = after
	}
	return latencies, nil
}
