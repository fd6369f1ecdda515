// Package process starts the servers that are measured, and says what they cost.
package process

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weirhq/weir/internal/child"
)

// Group is processes that end together, at the latest with this one. The zero value
// has none.
type Group struct{ all []*exec.Cmd }

// Start starts a program and waits until it listens on the address, for up to ten
// seconds. It returns its process id.
func (g *Group) Start(address, program string, args ...string) (pid int, err error) {
	return g.StartIn(nil, address, program, args...)
}

// StartIn is Start with more variables, as NAME=value, in the environment.
func (g *Group) StartIn(env []string, address, program string, args ...string) (pid int, err error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := child.Start(cmd); err != nil {
		return 0, err
	}
	g.all = append(g.all, cmd)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			return cmd.Process.Pid, c.Close()
		}
	}
	g.Stop() // and with it, writing to said
	return 0, fmt.Errorf("process: %s does not listen on %s: %s", filepath.Base(program), address, &said)
}

// patience is how long a process may take to end when it is asked to.
const patience = 5 * time.Second

// Stop ends all processes, the last first, and waits for them.
func (g *Group) Stop() {
	for _, p := range slices.Backward(g.all) {
		p.Process.Signal(os.Interrupt)
		late := time.AfterFunc(patience, func() { p.Process.Kill() })
		p.Wait()
		late.Stop()
	}
	g.all = nil
}

// Free is an address on this machine that nobody listens on, given once.
func Free() string {
	address, err := child.FreeAddr()
	if err != nil {
		panic(err) // such a machine measures nothing
	}
	return address
}

// Port is the port of an address.
func Port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// Output is what a program prints, or why it printed nothing. It is for versions.
func Output(program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}
