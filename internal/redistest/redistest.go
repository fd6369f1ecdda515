// Package redistest starts real servers for tests: a redis-server, a Redis
// Cluster of three masters, a Sentinel set, a Valkey, and a proxy that misbehaves.
// Each listens on free loopback ports, keeps nothing on disk, and ends with its
// test; the shared ones end with their package's tests, see [End].
//
//	server := redistest.Start(t)
//	store, err := redisstore.Open("redis://" + server.Addr)
//
// A part that is missing fails the test: scripts/install-test-deps brings it.
package redistest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Server is one server process.
type Server struct {
	Addr string // host:port
	Port string

	t       testing.TB
	process *process
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

func start(t testing.TB, path string, args ...string) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{Addr: "127.0.0.1:" + port, Port: port, t: t, process: &process{path: path}}
	s.process.args = append([]string{
		"--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--appendonly", "no", "--loglevel", "warning",
		"--enable-debug-command", "yes",
	}, args...)
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// Do sends one command and returns its reply; see [Conn.Reply].
func (s *Server) Do(args ...string) string {
	s.t.Helper()
	text, err := s.Try(args...)
	if err != nil {
		s.t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return text
}

// Try is Do for a command that may fail.
func (s *Server) Try(args ...string) (string, error) {
	c, err := Dial(s.Addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.Do(args...)
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
