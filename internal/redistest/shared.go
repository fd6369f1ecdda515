package redistest

import (
	"os"
	"sync"
	"testing"
)

// Shared servers start when a test first asks for one and serve all tests of the
// package. A test may empty them; it must not stop them or change what they are.
type shared[S any] struct {
	start func(testing.TB) S

	once    sync.Once
	made    S
	started bool
	ends    lifetime
}

var (
	redis   = shared[*Server]{start: func(t testing.TB) *Server { return Start(t) }}
	valkey  = shared[*Server]{start: func(t testing.TB) *Server { return StartValkey(t) }}
	cluster = shared[*Cluster]{start: StartCluster}
)

// End ends the shared servers: for a TestMain, after the tests.
func End() {
	redis.ends.end()
	valkey.ends.end()
	cluster.ends.end()
}

// Shared is a redis-server for all tests of the package, empty.
func Shared(t testing.TB) *Server {
	t.Helper()
	return redis.of(t).with(t).empty()
}

// SharedValkey is a valkey-server for all tests of the package, empty.
func SharedValkey(t testing.TB) *Server {
	t.Helper()
	return valkey.of(t).with(t).empty()
}

// SharedCluster is a cluster for all tests of the package, empty.
func SharedCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t}
	for _, n := range cluster.of(t).Nodes {
		c.Nodes = append(c.Nodes, n.with(t).empty())
	}
	return c
}

func (s *shared[S]) of(t testing.TB) S {
	t.Helper()
	s.once.Do(func() {
		s.ends.TB = t
		s.made = s.start(&s.ends)
		s.started = true
	})
	if !s.started {
		t.Fatal("the shared server did not start: see the test that asked for it first")
	}
	return s.made
}

// with is the server for another test.
func (s *Server) with(t testing.TB) *Server {
	return &Server{Addr: s.Addr, Port: s.Port, process: s.process, t: t}
}

func (s *Server) empty() *Server {
	s.Do("flushall")
	return s
}

// lifetime is the test that happens to start what outlives it: it fails if the
// start does, and what is to be cleaned up waits for the end of the package.
type lifetime struct {
	testing.TB
	mu   sync.Mutex
	ends []func()
}

func (l *lifetime) Cleanup(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = append(l.ends, f)
}

func (l *lifetime) TempDir() string {
	dir, err := os.MkdirTemp("", "redistest")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (l *lifetime) end() {
	for i := len(l.ends) - 1; i >= 0; i-- {
		l.ends[i]()
	}
}
