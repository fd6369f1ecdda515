package demo

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// kind is a kind of callers. A round of more requests than a limit has room for
// shows a refusal at once, however slow the machine.
type kind struct {
	name, fate string
	callers    int
	network    string // of their addresses, of which the last number is the caller's
	key        string // of their API keys, which ends in the caller's number; "" is none
	method     string
	paths      []string
	round      int           // requests one after the other
	every      time.Duration // a round, more or less
}

var kinds = []kind{
	{name: "honest browsers", fate: "pass", callers: 24, network: "198.51.100.", paths: []string{"/", "/products/7", "/basket", "/search?q=weir"}, round: 1, every: 1500 * time.Millisecond},
	{name: "customers on pro", fate: "pass", callers: 2, network: "192.0.2.1", key: "pro-", paths: []string{"/api/orders", "/api/stock"}, round: 3, every: time.Second},
	{name: "customers on free", fate: "are refused by the layer gateway, 20/10s", callers: 3, network: "192.0.2.2", key: "free-", paths: []string{"/api/orders"}, round: 25, every: 6 * time.Second},
	{name: "scraper", fate: "is refused by the layer endpoint, /search 10/10s", callers: 1, network: "203.0.113.6", paths: []string{"/search?q=everything"}, round: 15, every: 4 * time.Second},
	{name: "impatient exporter", fate: "is refused by the layer endpoint, POST /export 5/10s with a burst of 1", callers: 1, network: "203.0.113.7", method: http.MethodPost, paths: []string{"/export"}, round: 4, every: 3 * time.Second},
	{name: "flood", fate: "is refused by the layer edge, 60/10s by address", callers: 1, network: "203.0.113.9", paths: []string{"/"}, round: 80, every: time.Second},
	{name: "crawler", fate: "passes, while the layer trial, in shadow, would refuse it", callers: 1, network: "203.0.113.8", paths: []string{"/products/1", "/products/2", "/products/3"}, round: 25, every: 5 * time.Second},
}

// callers are under way.
type callers struct {
	client *http.Client
	enough chan struct{} // closed: no further round
	all    sync.WaitGroup
}

// startCallers has all callers send their rounds to the base URL. The end of the
// context breaks off what is under way.
func startCallers(ctx context.Context, base string) *callers {
	c := &callers{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 10 * time.Second},
		enough: make(chan struct{}),
	}
	for i := range kinds {
		for n := 1; n <= kinds[i].callers; n++ {
			c.all.Go(func() { c.run(ctx, &kinds[i], base, n) })
		}
	}
	return c
}

// finish lets the rounds that have begun end, and returns when they have.
func (c *callers) finish() {
	close(c.enough)
	c.all.Wait()
	c.client.CloseIdleConnections()
}

func (c *callers) run(ctx context.Context, k *kind, base string, n int) {
	for {
		for range k.round {
			c.send(ctx, k, base, n)
		}
		next := k.every/2 + rand.N(k.every)
		select {
		case <-time.After(next):
		case <-c.enough:
			return
		case <-ctx.Done():
			return
		}
	}
}

// send sends one request. What comes of it, the metrics tell.
func (c *callers) send(ctx context.Context, k *kind, base string, n int) {
	r, err := http.NewRequestWithContext(ctx, k.method, base+k.paths[rand.N(len(k.paths))], nil)
	if err != nil {
		return
	}
	r.Header.Set("X-Forwarded-For", fmt.Sprint(k.network, n))
	if k.key != "" {
		r.Header.Set("X-API-Key", fmt.Sprint(k.key, n))
	}
	if a, err := c.client.Do(r); err == nil {
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
}
