// Command fronts measures what stands between the wire and a decision: weir's fronts
// beside servers that answer the same and decide nothing, beside Redis with a script and
// gubernator, and the net/http middleware beside others. All decide in memory but Redis.
//
//	go run ./fronts             all of them, 8 rounds; make bench-peers does it
//	go run ./fronts -rounds 2 -contests resp -only weir,noop
//
// Callers have a connection each and requests that are written ahead, so that as much of
// the machine as can be is the servers'. They share it: compare the ratios, and the
// server's processor time.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "noop" {
		serveNothing(os.Args[2], os.Args[3:])
		return
	}
	var s settings
	flag.IntVar(&s.rounds, "rounds", 8, "how often each contender has its turn")
	flag.DurationVar(&s.turn, "turn", 600*time.Millisecond, "how long a turn is measured")
	flag.DurationVar(&s.warm, "warm", 150*time.Millisecond, "how long each turn runs before that")
	flag.IntVar(&s.callers, "callers", 50, "how many ask at a time")
	flag.IntVar(&s.keys, "keys", 1_000_000, "keys at random on the RESP port")
	contests := flag.String("contests", ".", "a regular expression: which contests")
	only := flag.String("only", "", "names, which contenders; all, if empty")
	flag.Parse()
	s.contests = regexp.MustCompile(*contests)
	if *only != "" {
		s.only = strings.Split(*only, ",")
	}
	if err := run(s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fronts:", err)
		os.Exit(1)
	}
}

type settings struct {
	rounds, callers, keys int
	turn, warm            time.Duration
	contests              *regexp.Regexp
	only                  []string
}

func run(s settings, out io.Writer) error {
	dir, err := os.MkdirTemp("", "weir-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{settings: s, dir: dir}
	defer b.close()
	contests, err := b.contests()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, process.Machine())
	fmt.Fprintf(out, "fronts: %d rounds of %v after %v; %d callers; %d keys at random on the RESP port\n", s.rounds, s.turn, s.warm, s.callers, s.keys)
	modules := process.Versions("github.com/go-chi/httprate", "github.com/throttled/throttled/v2", "github.com/ulule/limiter/v3", "google.golang.org/grpc")
	for _, line := range append(b.versions, modules...) {
		fmt.Fprintln(out, line)
	}
	results, err := turns.Run(out, s.rounds, contests...)
	if err != nil {
		return err
	}
	results.Summarise(out, "weir")
	return nil
}

// work is one contest: who takes part, and how each is made ready for its turns.
type work struct {
	name    string
	who     []string
	prepare func(b *bench, name string) (turn, error)
}

// turn is what a contender does in each round.
type turn func() ([]turns.Figure, error)

var works = []work{
	{"check-default-policy", []string{"weir", "noop"}, (*bench).prepareDefault},
	{"check-one-limit", []string{"weir", "noop"}, (*bench).prepareOneLimit},
	{"resp-pipeline-1", []string{"weir", "noop", "redis-lua"}, func(b *bench, name string) (turn, error) { return b.prepareThrottle(name, 1) }},
	{"resp-pipeline-32", []string{"weir", "noop", "redis-lua"}, func(b *bench, name string) (turn, error) { return b.prepareThrottle(name, 32) }},
	{"rls-in-memory", []string{"weir", "noop", "gubernator"}, (*bench).prepareRLS},
	{"middleware", []string{"weir", "httprate", "ulule", "throttled"}, (*bench).prepareMiddleware},
}

// contests makes all ready, each once what it is to do is seen to be done.
func (b *bench) contests() (all []turns.Contest, err error) {
	for _, w := range works {
		if !b.settings.contests.MatchString(w.name) {
			continue
		}
		c := turns.Contest{Name: w.name}
		for _, name := range w.who {
			if !b.wants(name) {
				continue
			}
			t, err := w.prepare(b, name)
			if err != nil {
				return nil, fmt.Errorf("set-up: %s, %s: %w", w.name, name, err)
			}
			c.Contenders = append(c.Contenders, turns.Contender{Name: name, Turn: t})
		}
		if len(c.Contenders) > 0 {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there is no such contest, or nobody in it")
	}
	return all, nil
}
