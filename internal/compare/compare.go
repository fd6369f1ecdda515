// Package compare runs one traffic through all five algorithms and shows what each
// of them made of it.
//
//	report, err := compare.Run(compare.Boundary(rate), compare.Options{Rate: rate})
//	if err != nil {
//		return err
//	}
//	report.WriteText(os.Stdout)
//
// # Time
//
// The instants are the traffic's own; no clock is read.
//
// # Errors
//
// A rate or burst that cannot be represented, as [weir.NewLimit] says it.
package compare

import (
	"context"
	"time"

	"github.com/weirhq/weir"
)

// Traffic is requests of one caller.
type Traffic struct {
	// Name is what they are, for a heading.
	Name string
	// At are their instants, in µs since the Unix epoch, in order.
	At []int64
	// From and To bound what is shown, µs; no request lies outside.
	From, To int64
}

// Options say what limit the algorithms keep. Rate is required.
type Options struct {
	Rate weir.Rate
	// Burst is that of gcra and token-bucket; 0 is the rate's count.
	Burst int64
}

// Report is what became of the traffic. Its JSON form is that of weir compare
// --json.
type Report struct {
	Traffic    string     `json:"traffic"`
	Requests   int        `json:"requests"`
	Limit      string     `json:"limit"`
	From       time.Time  `json:"from"`
	To         time.Time  `json:"to"`
	BinSeconds float64    `json:"bin_seconds"`
	Offered    []int      `json:"offered"` // requests in each bin
	Algorithms []Outcomes `json:"algorithms"`

	rate weir.Rate
}

// Outcomes are one algorithm's.
type Outcomes struct {
	// Name is the algorithm's, with the burst where that is not the count.
	Name     string `json:"name"`
	Admitted int    `json:"admitted"`
	Refused  int    `json:"refused"`
	// Most is the largest number admitted within any stretch of one period, which
	// is what an upstream has to bear.
	Most int `json:"most_in_a_period"`
	// Gap is the shortest time between two admitted requests.
	Gap time.Duration `json:"shortest_gap_ns"`
	// KeyBytes is the memory of one key that has used up the limit.
	KeyBytes int `json:"bytes_per_key"`
	// Bins are the admitted and the refused requests over time.
	Bins []Bin `json:"bins"`
}

// Bin is a stretch of time.
type Bin struct {
	Admitted int `json:"admitted"`
	Refused  int `json:"refused"`
}

// bins is how many stretches of time a chart has: the columns of a terminal.
const bins = 72

// Run decides the traffic by every algorithm, and by GCRA with a burst of 1 beside
// them, unless the burst is 1 anyway: that one spaces what it admits.
func Run(t Traffic, o Options) (*Report, error) {
	r := &Report{
		Traffic: t.Name, Requests: len(t.At), Limit: o.Rate.String(), rate: o.Rate,
		From: time.UnixMicro(t.From).UTC(), To: time.UnixMicro(t.To).UTC(),
		BinSeconds: float64(t.To-t.From) / bins / 1e6,
		Offered:    make([]int, bins),
	}
	for _, at := range t.At {
		r.Offered[t.bin(at)]++
	}
	for _, a := range weir.Algorithms() {
		if err := r.add(t, a.String(), o, a, o.Burst); err != nil {
			return nil, err
		}
		if a == weir.GCRA && o.Burst != 1 && o.Rate.Count > 1 {
			if err := r.add(t, "gcra, burst 1", o, a, 1); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// bin is where an instant is drawn.
func (t *Traffic) bin(at int64) int {
	return int(min((at-t.From)*bins/max(1, t.To-t.From), bins-1))
}

func (r *Report) add(t Traffic, name string, o Options, a weir.Algorithm, burst int64) error {
	options := []weir.LimitOption{weir.WithAlgorithm(a)}
	if burst != 0 && a.HasBurst() {
		options = append(options, weir.WithBurst(burst))
	}
	limit, err := weir.NewLimit(o.Rate, options...)
	if err != nil {
		return err
	}
	outcomes, err := decide(t, limit)
	if err != nil {
		return err
	}
	outcomes.Name = name
	if outcomes.KeyBytes, err = keyBytes(limit); err != nil {
		return err
	}
	r.Algorithms = append(r.Algorithms, outcomes)
	return nil
}

// decide runs the traffic through a store of its own, whose clock is the traffic's.
func decide(t Traffic, limit *weir.Limit) (Outcomes, error) {
	now := t.From
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 1, Clock: func() time.Time { return time.UnixMicro(now) }})
	store.Close() // one key: there is nothing to sweep
	out := Outcomes{Bins: make([]Bin, bins), Gap: -1}
	window := admitted{period: limit.Rate().Period.Microseconds()}
	for _, at := range t.At {
		now = at
		ok, err := take(store, limit, "caller")
		if err != nil {
			return out, err
		}
		bin := &out.Bins[t.bin(at)]
		if !ok {
			out.Refused++
			bin.Refused++
			continue
		}
		out.Admitted++
		bin.Admitted++
		out.Gap = window.add(at, out.Gap)
		out.Most = max(out.Most, len(window.recent))
	}
	return out, nil
}

func take(store *weir.MemoryStore, limit *weir.Limit, caller string) (bool, error) {
	var result [1]weir.Result
	check := weir.Check{Key: weir.Key{Layer: "compare", Limit: "default", Identity: caller}, Limit: limit, Cost: 1}
	err := store.Take(context.Background(), []weir.Check{check}, result[:])
	return result[0].Allowed, err
}

// admitted are the instants of what was admitted within the last period.
type admitted struct {
	period int64 // µs
	recent []int64
}

// add notes one, and returns the shortest gap so far; −1 is none yet.
func (a *admitted) add(at int64, gap time.Duration) time.Duration {
	if n := len(a.recent); n > 0 {
		if d := time.Duration(at-a.recent[n-1]) * time.Microsecond; gap < 0 || d < gap {
			gap = d
		}
	}
	old := 0
	for old < len(a.recent) && a.recent[old] <= at-a.period {
		old++
	}
	a.recent = append(a.recent[old:], at)
	return gap
}
