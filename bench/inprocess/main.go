// Command inprocess measures weir's limiter in memory beside other limiters of this
// process: on one key that everybody asks about, on a million keys at random, on a key
// that is refused, with three layers, and by what ten million keys weigh.
//
//	go run ./inprocess          all of them, 8 rounds; make bench-peers does it
//	go run ./inprocess -rounds 2 -contests one-key -only weir,x/time
//
// Every turn is a process of its own, with a heap that holds one limiter, and first
// asserts that the limiter does what is measured.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "turn" {
		child(os.Args[2])
		return
	}
	var s settings
	flag.IntVar(&s.rounds, "rounds", 8, "how often each limiter has its turn")
	flag.IntVar(&s.fewer, "fewer", 1, "the same where millions of keys are held, which takes long")
	flag.DurationVar(&s.turn, "turn", 250*time.Millisecond, "how long a turn is measured")
	flag.IntVar(&s.keys, "keys", 1_000_000, "keys at random")
	flag.IntVar(&s.held, "held", 10_000_000, "keys to weigh")
	contests := flag.String("contests", ".", "a regular expression: which contests")
	only := flag.String("only", ".", "the same for limiters")
	flag.Parse()
	s.contests, s.only = regexp.MustCompile(*contests), regexp.MustCompile(*only)
	if err := run(s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "inprocess:", err)
		os.Exit(1)
	}
}

type settings struct {
	rounds, fewer  int
	turn           time.Duration
	keys, held     int
	contests, only *regexp.Regexp
}

func run(s settings, out io.Writer) error {
	fmt.Fprintln(out, process.Machine())
	fmt.Fprintf(out, "inprocess: %d rounds of %v, %d with many keys held; %d keys at random, %d to weigh\n", s.rounds, s.turn, s.fewer, s.keys, s.held)
	var modules []string
	for _, p := range peers {
		modules = append(modules, p.module)
	}
	for _, line := range process.Versions(modules...) {
		fmt.Fprintln(out, line)
	}
	short, err := turns.Run(out, s.rounds, s.contestsOf(false)...)
	if err != nil {
		return err
	}
	long, err := turns.Run(out, s.fewer, s.contestsOf(true)...)
	if err != nil {
		return err
	}
	append(short, long...).Summarise(out, "weir")
	return nil
}

func (s settings) contestsOf(long bool) (all []turns.Contest) {
	for _, w := range works {
		if w.long != long || !s.contests.MatchString(w.name) {
			continue
		}
		c := turns.Contest{Name: w.name}
		for _, p := range peers {
			if s.only.MatchString(p.name) && w.suits(p) {
				c.Contenders = append(c.Contenders, turns.Contender{Name: p.name, Turn: func() ([]turns.Figure, error) {
					return askChild(task{Work: w.name, Peer: p.name, Turn: s.turn, Keys: s.keys, Held: s.held})
				}})
			}
		}
		all = append(all, c)
	}
	return all
}

// task is what a child is asked to do, as JSON.
type task struct {
	Work, Peer string
	Turn       time.Duration
	Keys, Held int
}

func askChild(t task) (figures []turns.Figure, err error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd := exec.Command(self, "turn", string(text))
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return figures, json.Unmarshal(out, &figures)
}

// child takes one turn and prints its figures.
func child(text string) {
	var t task
	err := json.Unmarshal([]byte(text), &t)
	var figures []turns.Figure
	if err == nil {
		figures, err = t.do()
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(figures)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
