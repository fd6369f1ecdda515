package daemon

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// calmListener makes its connections [calmConn]s.
type calmListener struct{ net.Listener }

// Accept implements net.Listener.
func (l calmListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &calmConn{Conn: c}, nil
}

// calmConn sets a deadline when somebody is about to wait under it. A server of net/http
// moves eight for each request, five of them with a timer; most have moved on before
// anybody waits, for what a proxy sends has arrived and what it is told goes out at once.
// They were a tenth of what a check took beside a server that bounds nothing; two are left.
type calmConn struct {
	net.Conn
	mu             sync.Mutex
	read, write    deadline
	reading, stale bool // stale: what is set is no bound any more
}

// deadline is what holds, and what the connection knows of it.
type deadline struct{ asked, set time.Time }

// SetReadDeadline implements net.Conn. Whoever waits already is told.
func (c *calmConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.asked = t
	if !c.reading {
		return nil
	}
	c.stale = true // it ends this wait, and is not to end the next
	return c.setRead()
}

// SetWriteDeadline implements net.Conn, for one that writes when it has set it.
func (c *calmConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write.asked = t
	return nil
}

// SetDeadline implements net.Conn.
func (c *calmConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Read implements net.Conn. Where less time was set than is asked for, it is set anew
// once it is over.
func (c *calmConn) Read(p []byte) (int, error) {
	for {
		if err := c.beginRead(); err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if again := c.endRead(err); n > 0 || !again {
			return n, err
		}
	}
}

func (c *calmConn) beginRead() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = true
	if !c.stale && !c.read.isLate() {
		return nil
	}
	c.stale = false
	return c.setRead()
}

// isLate reports whether more time is set than asked for.
func (d *deadline) isLate() bool {
	return !d.asked.IsZero() && (d.set.IsZero() || d.set.After(d.asked))
}

// endRead reports whether the time was over too early.
func (c *calmConn) endRead(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = false
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || c.read.set.Equal(c.read.asked) {
		return false
	}
	c.stale = true
	return true
}

func (c *calmConn) setRead() error {
	c.read.set = c.read.asked
	return c.Conn.SetReadDeadline(c.read.set)
}

// writeGrace is how much longer than asked for a write may take, so that its deadline is
// set now and then instead of each time.
const writeGrace = writeTimeout / 8

// Write implements net.Conn.
func (c *calmConn) Write(p []byte) (int, error) {
	if err := c.setWrite(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *calmConn) setWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := &c.write
	if d.set.Equal(d.asked) || d.isSoon() {
		return nil
	}
	if d.set = d.asked; !d.set.IsZero() {
		d.set = d.set.Add(writeGrace)
	}
	return c.Conn.SetWriteDeadline(d.set)
}

// isSoon reports whether what is set is what was asked for, or little more.
func (d *deadline) isSoon() bool {
	return !d.asked.IsZero() && !d.set.Before(d.asked) && !d.set.After(d.asked.Add(writeGrace))
}

// CloseWrite ends what is written: net/http does so where it answers before it has read
// all.
func (c *calmConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
