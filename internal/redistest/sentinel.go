package redistest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Sentinel is a master, a replica of it, and one sentinel that watches both.
type Sentinel struct {
	Master, Replica, Watcher *Server
}

// StartSentinel starts the three and waits until the sentinel knows the replica.
func StartSentinel(t testing.TB) *Sentinel {
	t.Helper()
	s := &Sentinel{Master: Start(t, "--repl-diskless-sync-delay", "0")}
	s.Replica = Start(t, "--replicaof", "127.0.0.1 "+s.Master.Port)
	Until(t, 10*time.Second, func() bool { return strings.Contains(s.Replica.Do("info", "replication"), "master_link_status:up") }, "the replica follows")

	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf(`sentinel monitor mymaster 127.0.0.1 %s 1
sentinel down-after-milliseconds mymaster 300
sentinel failover-timeout mymaster 2000
`, s.Master.Port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Watcher = startSentinel(t, config)
	Until(t, 20*time.Second, func() bool {
		return strings.Contains(s.Watcher.Do("sentinel", "replicas", "mymaster"), s.Replica.Port)
	}, "the sentinel knows the replica")
	return s
}

func startSentinel(t testing.TB, config string) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{Addr: "127.0.0.1:" + port, Port: port, t: t, process: &process{path: find(t, "redis-server")}}
	s.process.args = []string{config, "--sentinel", "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir()}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// URL is the store's.
func (s *Sentinel) URL() string { return "redis+sentinel://" + s.Watcher.Addr + "/mymaster" }
