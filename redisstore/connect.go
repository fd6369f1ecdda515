package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// Open makes a store on a client of its own; Close ends both. The URL's forms
// are those of weir's --store. A server that is not there yet is no error: it is
// looked for in the background, and until it is found every call fails at once.
func Open(url string, options ...Option) (*Store, error) {
	o, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	c := newConnector(o)
	e := newRueidisEvaler(nil)
	e.connector = c
	s := newStore(e, options)
	s.slots = !o.ForceSingleClient && o.Sentinel.MasterSet == ""
	s.close = c.close
	return s, nil
}

// errNotConnected is a call while no server has been found.
var errNotConnected = errors.New("redisstore: not connected")

const (
	reconnectEvery = 250 * time.Millisecond // between two attempts to connect
	retireAfter    = time.Second            // an old client's last calls are over by then
	preloadTimeout = time.Second            // for the scripts, which come with the first request otherwise
)

// connector holds a client and replaces it where its connections lead to the
// wrong server: after a fail-over behind a name, connections to the old master
// stay open, and it answers READONLY for ever.
type connector struct {
	option  rueidis.ClientOption
	current atomic.Pointer[rueidis.Client]

	mu       sync.Mutex
	renewing bool
	closed   bool
	last     error // why there is no client
	stop     chan struct{}
	running  sync.WaitGroup
}

func newConnector(o rueidis.ClientOption) *connector {
	c := &connector{option: o, stop: make(chan struct{})}
	if client, err := rueidis.NewClient(c.option); err == nil {
		c.current.Store(&client)
		c.running.Go(func() { preload(client) })
	} else {
		c.last = err
		c.renew()
	}
	return c
}

func (c *connector) client() (rueidis.Client, error) {
	if client := c.current.Load(); client != nil {
		return *client, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return nil, fmt.Errorf("%w: %w", errNotConnected, c.last)
}

// renew connects anew in the background, once at a time. The old client serves
// until then.
func (c *connector) renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.renewing || c.closed {
		return
	}
	c.renewing = true
	c.running.Go(func() {
		old, found := c.connect()
		if found {
			c.retire(old)
		}
		c.mu.Lock()
		c.renewing = false
		c.mu.Unlock()
	})
}

// connect tries until there is a client, which it puts in the place of the old
// one, or until the end.
func (c *connector) connect() (old *rueidis.Client, found bool) {
	for {
		client, err := rueidis.NewClient(c.option)
		c.mu.Lock()
		c.last = err
		c.mu.Unlock()
		if err == nil {
			preload(client)
			return c.current.Swap(&client), true
		}
		if !c.wait(reconnectEvery) {
			return nil, false
		}
	}
}

// preload gives every node the scripts, so that the first request need not. It is
// no more than a help: a node without them says so when it is asked, and gets
// them with that request.
func preload(client rueidis.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), preloadTimeout)
	defer cancel()
	for _, node := range client.Nodes() {
		for _, s := range [...]*script{takeScript, refundScript} {
			node.Do(ctx, node.B().ScriptLoad().Script(s.body).Build())
		}
	}
}

// retire closes a client once the calls that had it are over. As long as that
// takes nobody connects anew: where the new client too leads to the wrong server,
// this is how often it is looked for.
func (c *connector) retire(old *rueidis.Client) {
	c.wait(retireAfter)
	if old != nil {
		(*old).Close()
	}
}

// wait is false when the end comes first.
func (c *connector) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.stop:
		return false
	}
}

func (c *connector) close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	close(c.stop)
	c.mu.Unlock()
	c.running.Wait()
	if client := c.current.Load(); client != nil {
		(*client).Close()
	}
}

// leadsAstray reports whether an answer shows that the connection leads to a
// server that cannot take writes: a demoted master, one that is still loading,
// or one that has lost its own.
func leadsAstray(err error) bool {
	return isReply(err, "READONLY") || isReply(err, "LOADING") || isReply(err, "MASTERDOWN") || isReply(err, "CLUSTERDOWN")
}
