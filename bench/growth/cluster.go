package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/redisstore"
)

const slots = 16384

// cluster is masters that share the slots evenly, and a store on all of them.
type cluster struct {
	masters []*server
	*redisstore.Store
}

// mastersOfACluster is of clusters of one master and more.
func (b *bench) mastersOfACluster() turns.Contest {
	clusters, ids := map[int]*cluster{}, identitiesOf(b.spread)
	return points("masters-redis", stateKinds[:1], b.masters, func(kind string, n int) ([]turns.Figure, error) {
		l := lasting(algorithm(kind))
		c, ok := clusters[n]
		if !ok {
			var err error
			if c, err = b.startCluster(n); err != nil {
				return nil, err
			}
			if err := ids.fill(c, l, 1); err != nil {
				return nil, err
			}
			clusters[n] = c
		}
		ask := ids.randomly(c, l, 1, true)
		if _, err := load(redisCallers, 1, b.warm, ask); err != nil {
			return nil, err
		}
		before, err := c.uses()
		if err != nil {
			return nil, err
		}
		done, err := load(redisCallers, 1, b.turn, ask)
		if err != nil {
			return nil, err
		}
		after, err := c.uses()
		if err != nil {
			return nil, err
		}
		return clusterFigures(done, before, after)
	})
}

// startCluster joins masters by hand: redis-cli makes none of fewer than three.
func (b *bench) startCluster(n int) (*cluster, error) {
	c := &cluster{}
	var addresses []string
	for i := range n {
		s, err := b.startMaster(i, n)
		if err != nil {
			return nil, err
		}
		c.masters = append(c.masters, s)
		addresses = append(addresses, s.address)
	}
	if err := c.join(); err != nil {
		return nil, err
	}
	client, err := connect(addresses...)
	if err != nil {
		return nil, err
	}
	b.servers = append(b.servers, &server{client: client}) // for its end
	c.Store, err = redisstore.New(client)
	return c, err
}

func (b *bench) startMaster(i, n int) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "master")
	if err != nil {
		return nil, err
	}
	address, bus := process.Free(), process.Free()
	_, err = b.processes.Start(address, "redis-server", "--port", process.Port(address), "--bind", "127.0.0.1", "--dir", dir,
		"--save", "", "--appendonly", "no", "--cluster-enabled", "yes", "--cluster-port", process.Port(bus))
	if err != nil {
		return nil, err
	}
	s := &server{address: address, bus: process.Port(bus)}
	o := clientOptions(address)
	o.ForceSingleClient = true // to ask this one, not the cluster
	if s.client, err = rueidis.NewClient(o); err != nil {
		return nil, err
	}
	b.servers = append(b.servers, s)
	if _, err = s.do("CLUSTER", "SET-CONFIG-EPOCH", fmt.Sprint(i+1)); err != nil {
		return nil, err
	}
	_, err = s.do("CLUSTER", "ADDSLOTSRANGE", fmt.Sprint(i*slots/n), fmt.Sprint((i+1)*slots/n-1))
	return s, err
}

// join has all masters meet the first, and waits until each knows of all.
func (c *cluster) join() error {
	first := c.masters[0]
	for _, s := range c.masters[1:] {
		if _, err := s.do("CLUSTER", "MEET", "127.0.0.1", process.Port(first.address), first.bus); err != nil {
			return err
		}
	}
	for _, s := range c.masters {
		if err := s.untilJoined(len(c.masters)); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) untilJoined(n int) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		m, err := s.do("CLUSTER", "INFO")
		if err != nil {
			return err
		}
		if text, err := m.ToString(); err == nil && strings.Contains(text, "cluster_state:ok") && strings.Contains(text, fmt.Sprintf("cluster_size:%d\r", n)) {
			return nil
		}
	}
	return errors.New("set-up: the cluster does not come up")
}

// use is what a master did so far.
type use struct {
	calls int64
	cpu   time.Duration
}

func (c *cluster) uses() (all []use, err error) {
	for _, s := range c.masters {
		n, err := s.count("evalsha")
		if err != nil {
			return nil, err
		}
		cpu, err := s.cpu()
		if err != nil {
			return nil, err
		}
		all = append(all, use{n.calls, cpu})
	}
	return all, nil
}

// clusterFigures fail a run in which a master did not do its part.
func clusterFigures(done loaded, before, after []use) ([]turns.Figure, error) {
	calls, most, cpu := int64(0), int64(0), time.Duration(0)
	for i := range after {
		n := after[i].calls - before[i].calls
		calls, most, cpu = calls+n, max(most, n), cpu+after[i].cpu-before[i].cpu
	}
	busiest := float64(most) / float64(calls)
	if !isEven(most, calls, len(after)) {
		return nil, fmt.Errorf("set-up: one of %d masters had %.2f of the calls", len(after), busiest)
	}
	c := cost{loaded: done, redis: cpu}
	return append(c.figures(), turns.Figure{Value: busiest, Unit: "busiest"}), nil
}

// isEven reports whether the busiest of the masters has not much more than its part of
// the calls. Of a few any part may come to one by chance.
func isEven(most, calls int64, masters int) bool {
	const few = 200
	return calls < few || 4*most*int64(masters) <= 5*calls
}
