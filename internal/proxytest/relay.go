package proxytest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay passes connections on and counts them. Its address stays the same while
// what is behind it comes and goes.
type relay struct {
	addr string

	mu      sync.Mutex
	target  string
	made    int
	open    map[net.Conn]struct{}
	closes  io.Closer
	running sync.WaitGroup
}

// listen starts to pass connections on to the target.
func (r *relay) listen(t testing.TB, target string) {
	t.Helper()
	addr := r.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	r.addr, r.target, r.closes, r.open = l.Addr().String(), target, l, map[net.Conn]struct{}{}
	r.running.Go(func() { r.accept(l) })
}

// close refuses connections from now on, and ends those there are.
func (r *relay) close() {
	if r.closes == nil {
		return
	}
	r.closes.Close()
	r.mu.Lock()
	for c := range r.open {
		c.Close()
	}
	r.mu.Unlock()
	r.running.Wait()
}

// connections is how many were made so far.
func (r *relay) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made
}

func (r *relay) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			client.Close()
			continue
		}
		r.keep(client, server)
		r.running.Go(func() { r.pass(server, client) })
		r.running.Go(func() { r.pass(client, server) })
	}
}

func (r *relay) keep(client, server net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made++
	r.open[client], r.open[server] = struct{}{}, struct{}{}
}

func (r *relay) pass(to, from net.Conn) {
	io.Copy(to, from)
	to.Close()
	from.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, to)
	delete(r.open, from)
}
