// Command onredis measures weir's store on Redis beside other limiters on the same
// Redis: over a hundred thousand keys, on one key that everybody asks about, on one
// that is refused, and with three layers. Beside them run a script that only answers
// and INCR, through the client that weir uses.
//
//	go run ./onredis            all of them, 8 rounds; make bench-peers does it
//	go run ./onredis -rounds 2 -contests one-key -only weir
//
// Callers share a process, and with Redis the machine: compare the ratios.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

func main() {
	var s settings
	flag.IntVar(&s.rounds, "rounds", 8, "how often each limiter has its turn")
	flag.DurationVar(&s.turn, "turn", 600*time.Millisecond, "how long a turn is measured")
	flag.DurationVar(&s.warm, "warm", 100*time.Millisecond, "how long each turn runs before that")
	flag.IntVar(&s.keys, "keys", 100_000, "keys at random")
	contests := flag.String("contests", ".", "a regular expression: which contests")
	only := flag.String("only", ".", "the same for limiters")
	flag.Parse()
	s.contests, s.only = regexp.MustCompile(*contests), regexp.MustCompile(*only)
	if err := run(s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "onredis:", err)
		os.Exit(1)
	}
}

type settings struct {
	rounds         int
	turn, warm     time.Duration
	keys           int
	contests, only *regexp.Regexp
}

func run(s settings, out io.Writer) error {
	dir, err := os.MkdirTemp("", "weir-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var b bench
	defer b.processes.Stop()
	if b.redis, b.pid, err = b.processes.Redis(dir); err != nil {
		return err
	}
	if err := b.connect(); err != nil {
		return err
	}
	defer b.disconnect()
	fmt.Fprintln(out, process.Machine())
	fmt.Fprintf(out, "onredis: %d rounds of %v after %v; %d keys at random\n", s.rounds, s.turn, s.warm, s.keys)
	fmt.Fprintln(out, "version redis", process.Output("redis-server", "--version"))
	for _, line := range process.Versions("github.com/redis/rueidis", "github.com/redis/go-redis/v9", "github.com/go-redis/redis_rate/v10", "github.com/throttled/throttled/v2", "github.com/ulule/limiter/v3") {
		fmt.Fprintln(out, line)
	}
	contests, err := b.contests(s)
	if err != nil {
		return err
	}
	results, err := turns.Run(out, s.rounds, contests...)
	if err != nil {
		return err
	}
	results.Summarise(out, "weir")
	return nil
}
