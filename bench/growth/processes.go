package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/internal/child"
	"github.com/weirhq/weir/redisstore"
)

// processesOnRedis is of processes that share a server, with callers of their own.
func (b *bench) processesOnRedis() turns.Contest {
	servers, ids := filled{}, identitiesOf(b.spread)
	return points("processes-redis", stateKinds[:1], b.settings.processes, func(kind string, n int) ([]turns.Figure, error) {
		l := lasting(algorithm(kind))
		s, err := servers.get(b, kind, 0, func(s *server) error { return ids.fill(s, l, 1) })
		if err != nil {
			return nil, err
		}
		if err := s.assertKeys(ids.n); err != nil {
			return nil, err
		}
		c, err := b.loadFrom(n, s, kind)
		if err != nil {
			return nil, err
		}
		return c.figures(), s.assertKeys(ids.n)
	})
}

// loadFrom has so many processes ask at once, and sums up what they did.
func (b *bench) loadFrom(n int, s *server, kind string) (sum cost, err error) {
	self, err := os.Executable()
	if err != nil {
		return sum, err
	}
	asking := make([]*asking, n)
	for i := range asking {
		a, err := startAsking(self, "load", "-address", s.address, "-kind", kind, "-keys", fmt.Sprint(b.spread), "-during", b.turn.String())
		if err != nil {
			return sum, err
		}
		defer a.end()
		asking[i] = a
	}
	for _, a := range asking {
		if err := a.ready(); err != nil {
			return sum, err
		}
	}
	before, err := s.cpu()
	if err != nil {
		return sum, err
	}
	for _, a := range asking {
		fmt.Fprintln(a.in)
	}
	for _, a := range asking {
		one, err := a.result()
		if err != nil {
			return sum, err
		}
		sum.Calls += one.Calls
		sum.cpu += one.cpu
		sum.Took, sum.P50, sum.P99 = max(sum.Took, one.Took), max(sum.P50, one.P50), max(sum.P99, one.P99)
	}
	after, err := s.cpu()
	sum.redis = after - before
	return sum, err
}

// asking is a process that says when it is ready, waits for a line, and says what
// it did.
type asking struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startAsking(program string, args ...string) (*asking, error) {
	a := &asking{cmd: exec.Command(program, args...)}
	a.cmd.Stderr = os.Stderr
	in, err := a.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.in, a.out = in, bufio.NewReader(out)
	return a, child.Start(a.cmd)
}

func (a *asking) ready() error {
	_, err := a.out.ReadString('\n')
	return err
}

func (a *asking) result() (l loaded, err error) {
	_, err = fmt.Fscan(a.out, &l.Calls, &l.Took, &l.P50, &l.P99, &l.cpu)
	return l, err
}

func (a *asking) end() {
	a.in.Close()
	a.cmd.Wait()
}

// serveLoad is such a process.
func serveLoad(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	address, kind := flags.String("address", "", "of the server"), flags.String("kind", "", "algorithm")
	keys, during := flags.Int("keys", 0, "how many"), flags.Duration("during", time.Second, "how long to ask")
	if err := flags.Parse(args); err != nil {
		return err
	}
	client, err := connect(*address)
	if err != nil {
		return err
	}
	defer client.Close()
	store, err := redisstore.New(client)
	if err != nil {
		return err
	}
	ask := identitiesOf(*keys).randomly(store, lasting(algorithm(*kind)), 1, true)
	if _, err := load(redisCallers/2, 1, 0, ask); err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	l, err := load(redisCallers/2, 1, *during, ask)
	fmt.Fprintln(out, l.Calls, int64(l.Took), int64(l.P50), int64(l.P99), int64(l.cpu))
	return err
}
