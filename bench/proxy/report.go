package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/weirhq/weir/bench/process"
)

// describe says what was measured on what.
func (b *bench) describe(out io.Writer, s *settings) {
	fmt.Fprintln(out, process.Machine())
	fmt.Fprintf(out, "%d callers, %d rounds of %s after %s; answers of %d bytes\n", s.callers, s.rounds, s.turn, s.warm, len(answerBody))
	for _, p := range b.peers {
		fmt.Fprintf(out, "%-11s %s\n", p.name, p.version)
	}
	fmt.Fprintln(out)
}

// report sums up: medians over the rounds, with the least and the most, and the
// ratio of weir to each of the others, round by round.
func report(out io.Writer, peers []*peer) {
	fmt.Fprintf(out, "\n%-11s %25s   %-32s %-8s  %s\n", "", "req/s (least to most)", "p99 (least to most)", "cpu/req", "weir is, in req/s")
	var weir *peer
	for _, p := range peers {
		if p.name == "weir" {
			weir = p
		}
	}
	for _, p := range peers {
		rates, p99s := each(p, func(t turn) float64 { return t.rate }), each(p, func(t turn) time.Duration { return t.p99 })
		cpus := each(p, func(t turn) time.Duration { return t.cpu })
		latest := fmt.Sprintf("%v (%v to %v)", round(median(p99s)), p99s[0], p99s[len(p99s)-1])
		fmt.Fprintf(out, "%-11s %6.0f (%6.0f to %6.0f)   %-32s %-8v", p.name, median(rates), rates[0], rates[len(rates)-1], latest, median(cpus).Round(time.Microsecond))
		if weir != nil && p != weir {
			var ratios []float64
			for i := range p.turns {
				ratios = append(ratios, weir.turns[i].rate/p.turns[i].rate)
			}
			slices.Sort(ratios)
			fmt.Fprintf(out, "  %.2f (%.2f to %.2f) times as fast", median(ratios), ratios[0], ratios[len(ratios)-1])
		}
		fmt.Fprintln(out)
	}
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// each are the figures of all rounds, sorted.
func each[T float64 | time.Duration](p *peer, f func(turn) T) (all []T) {
	for _, t := range p.turns {
		all = append(all, f(t))
	}
	slices.Sort(all)
	return all
}

func median[T float64 | time.Duration](sorted []T) T {
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
