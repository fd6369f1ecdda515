package redistest

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy stands between a client and a server, and misbehaves on demand.
type Proxy struct {
	Addr string

	target  atomic.Pointer[string]
	drop    atomic.Int64 // a connection dies at its nth reply; 0 never
	swallow atomic.Bool  // nothing is passed on, either way

	listener net.Listener
	mu       sync.Mutex
	open     map[net.Conn]struct{}
	running  sync.WaitGroup
}

// StartProxy starts a proxy to the address.
func StartProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), listener: l, open: map[net.Conn]struct{}{}}
	p.Retarget(target)
	p.running.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.Cut()
		p.running.Wait()
	})
	return p
}

// Retarget sends new connections elsewhere; open ones stay where they are, as
// with a name that points to another address.
func (p *Proxy) Retarget(target string) { p.target.Store(&target) }

// DropEvery ends every connection instead of passing on its nth reply, of which
// the handshake's is the first: the server has executed the command and the client
// never learns of it. 0 ends that.
func (p *Proxy) DropEvery(n int) { p.drop.Store(int64(n)) }

// Swallow makes the proxy read and pass on nothing, with all sockets open. When
// that is over, connections that have lost something end: TCP never has gaps.
func (p *Proxy) Swallow(on bool) { p.swallow.Store(on) }

// Cut ends all open connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", *p.target.Load())
		if err != nil {
			client.Close()
			continue
		}
		p.keep(client, server)
		p.running.Go(func() { p.pass(server, client, false) })
		p.running.Go(func() { p.pass(client, server, true) })
	}
}

func (p *Proxy) keep(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.open[c] = struct{}{}
	}
}

// pass copies in the order of arrival. Of replies it takes each read for one,
// which holds for a client that waits for its reply.
func (p *Proxy) pass(to, from net.Conn, replies bool) {
	defer func() {
		to.Close()
		from.Close()
		p.mu.Lock()
		delete(p.open, to)
		delete(p.open, from)
		p.mu.Unlock()
	}()
	buf := make([]byte, 64<<10)
	gap := false
	for reads := int64(1); ; reads++ {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if p.swallow.Load() {
			gap = true
			continue
		}
		if gap {
			return
		}
		if nth := p.drop.Load(); replies && nth > 0 && reads >= nth {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
