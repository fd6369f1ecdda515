package redisstore_test

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
)

// lifetimes looks through the keys of every shared server all the time that the
// package's tests run. A key that has no lifetime, be it for a moment, is kept
// for ever when its process dies in that moment.
var lifetimes = sampler{stop: make(chan struct{}), watched: map[string]bool{}}

type sampler struct {
	stop    chan struct{}
	running sync.WaitGroup

	mu       sync.Mutex
	watched  map[string]bool
	sampled  int
	immortal string // the first key found without a lifetime
}

const sampleEvery = 5 * time.Millisecond

func (s *sampler) watch(addr string) {
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
		return // it would be part of what is measured
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched[addr] {
		return
	}
	s.watched[addr] = true
	s.running.Go(func() { s.run(addr) })
}

func (s *sampler) run(addr string) {
	c, err := redistest.Dial(addr)
	if err != nil {
		return // the server is gone, and so is the test that needs it
	}
	defer c.Close()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for cursor := "0"; ; {
		select {
		case <-tick.C:
		case <-s.stop:
			return
		}
		if cursor, err = s.sample(c, cursor); err != nil {
			return
		}
	}
}

// sample looks at some keys from a cursor on, and returns the next one.
func (s *sampler) sample(c *redistest.Conn, cursor string) (string, error) {
	reply, err := c.Do("scan", cursor, "match", "weir:*", "count", "100")
	if err != nil {
		return "", err
	}
	cursor, list, _ := strings.Cut(reply, "\n")
	if list == "" {
		return cursor, nil
	}
	keys := strings.Split(list, "\n")
	for _, k := range keys {
		if err := c.Send("pttl", k); err != nil {
			return "", err
		}
	}
	for _, k := range keys {
		ttl, err := c.Reply()
		if err != nil {
			return "", err
		}
		s.note(k, ttl)
	}
	return cursor, nil
}

func (s *sampler) note(key, ttl string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sampled++
	if ttl == "-1" && s.immortal == "" {
		s.immortal = key
	}
}

func (s *sampler) end() error {
	close(s.stop)
	s.running.Wait()
	if s.immortal != "" {
		return fmt.Errorf("%q was without a lifetime, of %d keys sampled", s.immortal, s.sampled)
	}
	return nil
}

func TestSamplerNoticesAKeyThatStays(t *testing.T) {
	server := redistest.Start(t)
	c, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	server.Do("set", "weir:{a}:l:m", "", "px", "60000")
	server.Do("set", "other", "")
	s := sampler{stop: make(chan struct{})}
	s.sample(c, "0")
	if s.sampled != 1 || s.immortal != "" {
		t.Errorf("%d keys sampled, %q noticed", s.sampled, s.immortal)
	}
	server.Do("persist", "weir:{a}:l:m")
	s.sample(c, "0")
	if err := s.end(); err == nil || !strings.Contains(err.Error(), "weir:{a}:l:m") {
		t.Errorf("a key without a lifetime gives %v", err)
	}
}
