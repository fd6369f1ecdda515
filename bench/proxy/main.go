// Command proxy measures weir proxy beside other reverse proxies: requests per
// second and the 99th percentile of their latency, for callers that each wait for
// an answer before they ask again, to an upstream that does next to nothing.
//
//	go run ./proxy          all of them, 8 rounds; make bench-proxy does it
//	go run ./proxy -rounds 2 -only weir,httputil
//
// The proxies take turns in every round, so that a machine that grows slower slows
// all of them alike, and ratios are of one round's figures. Proxies, upstream and
// callers share the machine: compare the ratios, not the figures.
//
// nginx-limit is nginx with one limit by API key, limit_req.
// weir decides by the three layers of its default policy, with limits that nobody
// reaches; the run fails if a single answer is not 200.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		child(os.Args[2:])
		return
	}
	var s settings
	flag.IntVar(&s.rounds, "rounds", 8, "how often each proxy has its turn")
	flag.IntVar(&s.callers, "callers", 50, "connections that ask")
	flag.DurationVar(&s.turn, "turn", 1500*time.Millisecond, "how long a turn is measured")
	flag.DurationVar(&s.warm, "warm", 300*time.Millisecond, "how long each turn runs before that")
	only := flag.String("only", "weir,httputil,tuned,caddy,nginx,nginx-limit,direct", "which to run")
	caddy := flag.String("caddy", "caddy", "Caddy's program")
	flag.Parse()
	s.only, s.caddy = strings.Split(*only, ","), *caddy
	if err := run(s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "proxy:", err)
		os.Exit(1)
	}
}

type settings struct {
	rounds, callers int
	turn, warm      time.Duration
	only            []string
	caddy           string
}

func run(s settings, out io.Writer) error {
	dir, err := os.MkdirTemp("", "weir-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir}
	defer b.processes.Stop()
	if err := b.start(&s); err != nil {
		return err
	}
	b.describe(out, &s)
	for r := range s.rounds {
		for i := range b.peers {
			p := b.peers[(i+r)%len(b.peers)]
			if _, err := load(p, s.callers, s.warm); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			turn, err := load(p, s.callers, s.turn)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			p.turns = append(p.turns, turn)
			fmt.Fprintf(out, "round %d  %-11s %8.0f req/s  p50 %6v  p99 %6v  cpu %v\n", r+1, p.name, turn.rate, turn.p50, turn.p99, turn.cpu.Round(time.Microsecond))
		}
	}
	report(out, b.peers)
	return nil
}
