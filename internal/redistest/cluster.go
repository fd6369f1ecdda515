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

// BeginMove begins to move a key's slot to another node and stops there: keys of
// the slot are where they were, new ones are made at the other node. finish moves
// what there is and ends it.
func (c *Cluster) BeginMove(key string) (from, to *Server, finish func()) {
	c.t.Helper()
	slot := c.Nodes[0].Do("cluster", "keyslot", key)
	owner := c.ownerOf(key)
	from, to = c.Nodes[owner], c.Nodes[(owner+1)%len(c.Nodes)]
	to.Do("cluster", "setslot", slot, "importing", from.Do("cluster", "myid"))
	from.Do("cluster", "setslot", slot, "migrating", to.Do("cluster", "myid"))
	return from, to, func() {
		for key := range strings.SplitSeq(from.Do("cluster", "getkeysinslot", slot, "1000"), "\n") {
			if key != "" {
				from.Do("migrate", "127.0.0.1", to.Port, key, "0", "1000")
			}
		}
		for _, n := range []*Server{to, from} {
			n.Do("cluster", "setslot", slot, "node", to.Do("cluster", "myid"))
		}
	}
}

func (c *Cluster) ownerOf(key string) int {
	for i, n := range c.Nodes {
		if _, err := n.Try("exists", key); err == nil {
			return i
		}
	}
	c.t.Fatalf("no node has %s", key)
	return 0
}
