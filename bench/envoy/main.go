// Command envoy measures weir as Envoy's rate limit service beside the one that it
// replaces, envoyproxy/ratelimit, and beside a server of grpc-go that decides
// nothing. Those that decide use the same Redis; weir also decides in memory.
//
//	go run ./envoy              all of them, 8 rounds; make bench-peers does it
//	go run ./envoy -rounds 2 -callers 50 -descriptors 1
//
// Callers ask with one or three descriptors and wait for the answer before they ask
// again, all over two connections, as an Envoy of two workers would. Every descriptor
// is limited by a fixed window that nobody reaches. Callers, servers and Redis share the
// machine: compare the ratios.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/weirhq/weir/bench/noop"
	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "noop" {
		serveNothing(os.Args[2])
		return
	}
	var s settings
	flag.IntVar(&s.rounds, "rounds", 8, "how often each server has its turn")
	flag.DurationVar(&s.turn, "turn", 600*time.Millisecond, "how long a turn is measured")
	flag.DurationVar(&s.warm, "warm", 150*time.Millisecond, "how long each turn runs before that")
	only := flag.String("only", "weir,ratelimit,ratelimit-pipelined,noop,weir-memory", "which to run")
	callers := flag.String("callers", "1,50,200", "how many ask at a time")
	descriptors := flag.String("descriptors", "1,3", "with how many descriptors")
	flag.Parse()
	s.only, s.callers, s.descriptors = strings.Split(*only, ","), numbers(*callers), numbers(*descriptors)
	if err := run(s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "envoy:", err)
		os.Exit(1)
	}
}

// serveNothing is this program as the server that decides nothing.
func serveNothing(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(noop.ServeRLS(listener))
}

func numbers(text string) (all []int) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "envoy: %q is no number above 0\n", part)
			os.Exit(2)
		}
		all = append(all, n)
	}
	return all
}

type settings struct {
	rounds               int
	turn, warm           time.Duration
	only                 []string
	callers, descriptors []int
}

func run(s settings, out io.Writer) error {
	dir, err := os.MkdirTemp("", "weir-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir}
	defer b.processes.Stop()
	if err := b.start(s.only); err != nil {
		return err
	}
	fmt.Fprintln(out, process.Machine())
	fmt.Fprintf(out, "envoy: %d rounds of %v after %v; %d values of a descriptor\n", s.rounds, s.turn, s.warm, values)
	for _, v := range b.servers {
		fmt.Fprintf(out, "version %s %s\n", v.name, v.version)
		defer v.hangUp()
		if err := v.checkLimits(); err != nil {
			return fmt.Errorf("set-up: %s: %w", v.name, err)
		}
	}
	results, err := turns.Run(out, s.rounds, b.contests(s)...)
	if err != nil {
		return err
	}
	results.Summarise(out, "weir")
	return b.checkNothingDegraded()
}

// contests are one for each number of callers and of descriptors.
func (b *bench) contests(s settings) (all []turns.Contest) {
	for _, d := range s.descriptors {
		for _, n := range s.callers {
			c := turns.Contest{Name: fmt.Sprintf("rls-callers-%d-descriptors-%d", n, d)}
			for _, v := range b.servers {
				c.Contenders = append(c.Contenders, turns.Contender{Name: v.name, Turn: func() ([]turns.Figure, error) {
					return b.turn(v, s, n, d)
				}})
			}
			all = append(all, c)
		}
	}
	return all
}

func (b *bench) turn(v *server, s settings, n, descriptors int) ([]turns.Figure, error) {
	if _, err := v.load(n, descriptors, s.warm); err != nil {
		return nil, err
	}
	own, redis := process.CPU(v.pid), process.CPU(b.redis)
	l, err := v.load(n, descriptors, s.turn)
	if err != nil {
		return nil, err
	}
	each := float64(l.Calls)
	return []turns.Figure{
		{Value: l.PerSecond(), Unit: "calls/s"},
		{Value: float64(l.P99.Microseconds()), Unit: "p99-µs"},
		{Value: float64((process.CPU(v.pid) - own).Microseconds()) / each, Unit: "cpu-µs"},
		{Value: float64((process.CPU(b.redis) - redis).Microseconds()) / each, Unit: "redis-cpu-µs"},
	}, nil
}
