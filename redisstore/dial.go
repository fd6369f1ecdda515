package redisstore

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// dialer connects apart from whoever asks for a connection. The client dials
// within the call that found none, and that call has a budget: where a handshake
// (TLS, a distant server) takes longer, no call would ever get a connection
// again. A connection that its caller could not wait for is the next one's.
type dialer struct {
	mu      sync.Mutex
	closed  bool
	left    map[string]chan dialed // by address
	running sync.WaitGroup
}

type dialed struct {
	conn net.Conn
	err  error
}

func (d *dialer) dial(ctx context.Context, address string, how *net.Dialer, secure *tls.Config) (net.Conn, error) {
	dialing := d.join(address, how, secure)
	if dialing == nil {
		return nil, net.ErrClosed
	}
	select {
	case got := <-dialing:
		return got.conn, got.err
	case <-ctx.Done():
		d.leave(address, dialing)
		return nil, ctx.Err()
	}
}

// join takes over what an earlier caller left, or begins anew.
func (d *dialer) join(address string, how *net.Dialer, secure *tls.Config) chan dialed {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	if dialing := d.left[address]; dialing != nil {
		delete(d.left, address)
		if !failed(dialing) {
			return dialing
		}
	}
	dialing := make(chan dialed, 1)
	d.running.Go(func() {
		conn, err := connect(address, how, secure)
		dialing <- dialed{conn, err}
	})
	return dialing
}

// failed reports whether dialling is over and has failed: that may be long ago.
func failed(dialing chan dialed) bool {
	select {
	case got := <-dialing:
		dialing <- got
		return got.err != nil
	default:
		return false
	}
}

// leave keeps one connection for each address, and closes others.
func (d *dialer) leave(address string, dialing chan dialed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == nil {
		d.left = map[string]chan dialed{}
	}
	if d.closed || d.left[address] != nil {
		d.running.Go(func() { discard(dialing) })
		return
	}
	d.left[address] = dialing
}

func discard(dialing chan dialed) {
	if got := <-dialing; got.conn != nil {
		got.conn.Close()
	}
}

// connect takes as long as the dialer's own timeout says, at most.
func connect(address string, how *net.Dialer, secure *tls.Config) (net.Conn, error) {
	network := "tcp"
	if address != "" && address[0] == '/' {
		network = "unix"
	}
	if secure != nil {
		return tls.DialWithDialer(how, network, address, secure)
	}
	return how.Dial(network, address)
}

// close waits for what is still being dialled. Nothing is dialled afterwards.
func (d *dialer) close() {
	d.mu.Lock()
	d.closed = true
	for _, dialing := range d.left {
		d.running.Go(func() { discard(dialing) })
	}
	d.left = nil
	d.mu.Unlock()
	d.running.Wait()
}
