package redisstore_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
)

// docs/atomicity.md tells what these two tests show.

const (
	atOnce    = 100 // callers
	thatMany  = 10  // requests may pass
	processes = 4
)

// The limiter that is written first: look whether there is room, then count. Of a
// hundred callers at once many look before any has counted, and all of those pass.
func TestCheckThenIncrementLetsTooManyPass(t *testing.T) {
	server := sharedServer(t)
	most := 0
	for round := range 5 {
		counter := fmt.Sprint("naive ", round)
		var admitted atomic.Int64
		var ready, done sync.WaitGroup
		ready.Add(atOnce)
		for range atOnce {
			done.Go(func() {
				conn, err := redistest.Dial(server.Addr)
				ready.Done()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				ready.Wait()
				if checkThenIncrement(t, conn, counter) {
					admitted.Add(1)
				}
			})
		}
		done.Wait()
		server.Do("del", counter)
		t.Logf("%d of %d callers passed a limit of %d", admitted.Load(), atOnce, thatMany)
		most = max(most, int(admitted.Load()))
	}
	if most < 2*thatMany {
		t.Errorf("at most %d passed a limit of %d: the broken limiter does not show what is wrong with it", most, thatMany)
	}
}

// checkThenIncrement is the broken limiter.
func checkThenIncrement(t *testing.T, conn *redistest.Conn, counter string) bool {
	text, err := conn.Do("get", counter)
	if err != nil {
		t.Error(err)
	}
	if count, _ := strconv.Atoi(text); count >= thatMany {
		return false
	}
	if _, err := conn.Do("incr", counter); err != nil {
		t.Error(err)
	}
	return true
}

// As many callers in four processes at once, each of whom tries ten times: of
// weir's limits exactly as many pass as may, round after round, whatever the
// algorithm.
//
// Its processes run this test too, and find in childEnv that they are to serve it.
func TestExactlyTheLimitPassesFromFourProcesses(t *testing.T) {
	if url := os.Getenv(childEnv); url != "" {
		serveLines(t, url)
		return
	}
	server := sharedServer(t)
	var children [processes]*child
	for i := range children {
		children[i] = startChild(t, urlOf(server))
	}
	rounds := 5
	if soaking() {
		rounds = 100
	}
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		for round := range rounds {
			admitted := 0
			for _, c := range children {
				c.begin(t, fmt.Sprintf("%s-%d", a, round), a)
			}
			for _, c := range children {
				admitted += c.admitted(t)
			}
			if admitted != thatMany {
				t.Errorf("round %d: %d passed a limit of %d", round, admitted, thatMany)
			}
		}
	})
}

// childEnv holds the store's URL for a child.
const childEnv = "WEIR_ATOMICITY_CHILD"

// child is a process of its own that runs serveLines.
type child struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, url string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestExactlyTheLimitPassesFromFourProcesses$")
	cmd.Env = append(os.Environ(), childEnv+"="+url)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &child{in, bufio.NewScanner(out)}
}

func (c *child) begin(t *testing.T, identity string, a weir.Algorithm) {
	t.Helper()
	if _, err := fmt.Fprintln(c.in, identity, a); err != nil {
		t.Fatal(err)
	}
}

func (c *child) admitted(t *testing.T) (n int) {
	t.Helper()
	for c.out.Scan() {
		if _, err := fmt.Sscanf(c.out.Text(), "admitted %d", &n); err == nil {
			return n
		}
	}
	t.Fatalf("a process has ended: %v", c.out.Err())
	return 0
}

// serveLines reads an identity and an algorithm from each line, takes from many
// goroutines, and says how often it could.
func serveLines(t *testing.T, url string) {
	store := open(t, url)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var identity, name string
		if _, err := fmt.Sscan(lines.Text(), &identity, &name); err != nil {
			t.Fatal(err)
		}
		a, err := weir.ParseAlgorithm(name)
		if err != nil {
			t.Fatal(err)
		}
		limit := limitOf(t, weir.PerDay(thatMany), weir.WithAlgorithm(a))
		var admitted atomic.Int64
		var callers sync.WaitGroup
		for range atOnce / processes {
			callers.Go(func() {
				for range 10 {
					if take(t, store, key(identity), limit, 1).Allowed {
						admitted.Add(1)
					}
				}
			})
		}
		callers.Wait()
		fmt.Printf("admitted %d\n", admitted.Load())
	}
}
