package redistest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Cluster is a Redis Cluster of three masters.
type Cluster struct {
	Nodes []*Server
	t     testing.TB
}

// StartCluster starts three masters and joins them.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t}
	create := []string{"--cluster", "create"}
	for range 3 {
		n := Start(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
		c.Nodes = append(c.Nodes, n)
		create = append(create, n.Addr)
	}
	c.cli(append(create, "--cluster-replicas", "0", "--cluster-yes")...)
	for _, n := range c.Nodes {
		Until(t, 20*time.Second, func() bool { return strings.Contains(n.Do("cluster", "info"), "cluster_state:ok") }, "the cluster is up")
	}
	return c
}

// URL is the store's.
func (c *Cluster) URL() string {
	addrs := make([]string, len(c.Nodes))
	for i, n := range c.Nodes {
		addrs[i] = n.Addr
	}
	return "redis+cluster://" + strings.Join(addrs, ",")
}

// Move moves n slots from one node to another, with their keys, while the
// cluster goes on serving.
func (c *Cluster) Move(from, to, n int) {
	c.t.Helper()
	id := func(i int) string { return strings.TrimSpace(c.Nodes[i].Do("cluster", "myid")) }
	c.cli("--cluster", "reshard", c.Nodes[0].Addr, "--cluster-from", id(from), "--cluster-to", id(to),
		"--cluster-slots", fmt.Sprint(n), "--cluster-yes", "--cluster-pipeline", "100")
}

func (c *Cluster) cli(args ...string) {
	c.t.Helper()
	if out, err := exec.Command("redis-cli", args...).CombinedOutput(); err != nil {
		c.t.Fatalf("redis-cli %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
