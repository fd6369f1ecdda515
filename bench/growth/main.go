// Command growth measures how the cost of a decision grows: with keys, layers, the
// size of a log, callers, processes and masters; in memory and on Redis.
//
//	go run ./growth                          all series, 5 rounds; make bench-growth does it
//	go run ./growth -rounds 1 -only layers   those whose name holds "layers"
//	go run ./growth draw RESULT DOCS         charts and tables of docs/scaling.md from a result
//
// The points of a series take turns in every round. Servers, callers and whatever
// else the machine does share its cores: compare the figures of one run. Every point
// asserts its own set-up, and the run fails if a decision comes out otherwise than
// it says.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	switch {
	case len(args) > 0 && args[0] == "load":
		return serveLoad(args[1:], os.Stdin, os.Stdout)
	case len(args) == 3 && args[0] == "draw":
		return draw(args[1], args[2])
	}
	s := settings{sizes: full}
	flags := flag.NewFlagSet("growth", flag.ExitOnError)
	flags.IntVar(&s.rounds, "rounds", 5, "how often each point has its turn")
	flags.DurationVar(&s.turn, "turn", 500*time.Millisecond, "how long a turn is measured")
	flags.DurationVar(&s.warm, "warm", 100*time.Millisecond, "how long each turn runs before that")
	flags.StringVar(&s.only, "only", "", "run the series whose names hold this")
	flags.Parse(args)
	return run(s, os.Stdout)
}

type settings struct {
	rounds     int
	turn, warm time.Duration
	only       string
	sizes
}

// sizes are the points of the series.
type sizes struct {
	keysMemory, keysRedis, layers, logs, callers, processes, masters []int
	spread                                                           int // keys where their number is not what grows
}

var full = sizes{
	keysMemory: []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000},
	keysRedis:  []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000},
	layers:     []int{1, 2, 3, 4, 6, 8},
	logs:       []int{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000},
	callers:    []int{1, 4, 16, 64, 256, 512},
	processes:  []int{1, 2, 3, 4},
	masters:    []int{1, 2, 3},
	spread:     100_000,
}

// bench is what the series share.
type bench struct {
	settings
	dir       string
	processes process.Group
	servers   []*server
}

// series are the contests, in the order in which they run. A series that needs
// servers starts them before its first turn and ends them after its last.
func (b *bench) series() []turns.Contest {
	return []turns.Contest{
		b.keysInMemory(), b.keysOnRedis(),
		b.scripts(),
		b.layersInMemory(), b.layersOnRedis(),
		b.logsInMemory(), b.logsOnRedis(),
		b.callersInMemory(), b.callersOnRedis(), b.callersOfOneKey(),
		b.processesOnRedis(),
		b.mastersOfACluster(),
	}
}

func run(s settings, out io.Writer) error {
	dir, err := os.MkdirTemp("", "weir-growth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{settings: s, dir: dir}
	fmt.Fprintln(out, process.Machine())
	fmt.Fprintf(out, "growth: %d rounds of %v after %v\n", s.rounds, s.turn, s.warm)
	fmt.Fprintf(out, "version weir %s\n", process.Output("git", "describe", "--always", "--dirty"))
	_, redis, _ := strings.Cut(process.Output("redis-server", "--version"), "v=")
	redis, _, _ = strings.Cut(redis, " ")
	fmt.Fprintf(out, "version Redis %s\n\n", redis)
	for _, c := range b.series() {
		if !strings.Contains(c.Name, s.only) {
			continue
		}
		if err := b.runOne(out, c); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nat the end: %s\n", process.Machine())
	return nil
}

func (b *bench) runOne(out io.Writer, c turns.Contest) error {
	defer b.stop()
	_, err := turns.Run(out, b.rounds, c)
	return err
}

// points makes a contest of one turn for each kind and number. Their names are
// KIND/NUMBER.
func points(name string, kinds []string, numbers []int, turn func(kind string, n int) ([]turns.Figure, error)) turns.Contest {
	c := turns.Contest{Name: name}
	for _, kind := range kinds {
		for _, n := range numbers {
			c.Contenders = append(c.Contenders, turns.Contender{Name: fmt.Sprintf("%s/%d", kind, n), Turn: func() ([]turns.Figure, error) {
				return turn(kind, n)
			}})
		}
	}
	return c
}
