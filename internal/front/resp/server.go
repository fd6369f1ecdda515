package resp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is what Serve returns once Shutdown or Close was called.
var ErrClosed = errors.New("resp: the server is closed")

// Server serves the connections of its listeners. Make it with [New].
type Server struct {
	Options
	engine Engine
	token  [sha256.Size]byte // of one length, so that comparing tells nothing of it

	ctx      context.Context // of decisions: ends with Close
	cancel   context.CancelFunc
	draining atomic.Bool
	ids      atomic.Int64

	mu        sync.Mutex
	listeners []net.Listener
	open      map[*connection]struct{}
	serving   sync.WaitGroup
}

// Serve takes connections until Shutdown or Close, and then returns [ErrClosed].
// It closes the listener.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	if !s.listen(l) {
		return ErrClosed
	}
	for failures := 0; ; {
		conn, err := l.Accept()
		switch {
		case err == nil:
			failures = 0
			s.take(conn)
		case s.draining.Load():
			return ErrClosed
		case !isTemporary(err):
			return fmt.Errorf("resp: accept: %w", err)
		default: // such as no file descriptor left: one that is closed frees it
			failures++
			if !s.pause(failures) {
				return ErrClosed
			}
		}
	}
}

func (s *Server) listen(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, l)
	return !s.draining.Load()
}

func isTemporary(err error) bool {
	var temporary interface{ Temporary() bool }
	return errors.As(err, &temporary) && temporary.Temporary()
}

const maxPause = time.Second

// pause waits longer with each failure; it is false when the server is closed.
func (s *Server) pause(failures int) bool {
	timer := time.NewTimer(min(maxPause, 5*time.Millisecond<<min(failures, 10)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return !s.draining.Load()
	case <-s.ctx.Done():
		return false
	}
}

// take serves a connection in a goroutine of its own, or turns it away.
func (s *Server) take(conn net.Conn) {
	c := newConnection(s, conn)
	s.mu.Lock()
	full, closed := len(s.open) >= s.MaxConnections, s.draining.Load()
	if !full && !closed {
		s.open[c] = struct{}{}
		s.serving.Add(1)
	}
	s.mu.Unlock()
	switch {
	case closed:
		conn.Close()
	case full:
		s.Watcher.TurnedAway()
		sayFull(conn)
		conn.Close()
	default:
		s.Watcher.Connected(1)
		go s.run(c)
	}
}

// sayFull must not hold up who accepts: a TLS handshake is not worth it.
func sayFull(conn net.Conn) {
	if _, plain := conn.(*net.TCPConn); plain {
		conn.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		conn.Write([]byte("-ERR max number of clients reached\r\n"))
	}
}

func (s *Server) run(c *connection) {
	defer s.serving.Done()
	defer func() {
		c.conn.Close()
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
		s.Watcher.Connected(-1)
		if p := recover(); p != nil { // a mistake of ours costs one connection
			s.Log.Error("panic, please report it", "panic", fmt.Sprint(p), "front", "resp", "stack", string(debug.Stack()))
		}
	}()
	c.serve()
}

// Shutdown takes no more connections, answers the commands that have arrived, and
// waits until all connections are closed or the context ends; then it returns the
// context's error.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain()
	done := make(chan struct{})
	go func() {
		s.serving.Wait()
		close(done)
	}()
	select {
	case <-done:
		s.cancel()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close cuts all connections off and waits for their goroutines.
func (s *Server) Close() error {
	s.drain()
	s.cancel()
	s.mu.Lock()
	for c := range s.open {
		c.conn.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
	return nil
}

// drain closes the listeners and wakes whoever waits for a command.
func (s *Server) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining.Store(true)
	for _, l := range s.listeners {
		l.Close()
	}
	for c := range s.open {
		c.conn.SetReadDeadline(time.Now())
	}
}
