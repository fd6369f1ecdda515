package resp

import (
	"context"
	"io"
	"net"
	"time"
)

const (
	firstBuffer = 8 << 10  // bytes: a pipeline of 100
	usualBuffer = 16 << 10 // what a connection keeps
	fullBuffer  = maxCommand

	// drainPause is how long a connection is listened to for what is on its way
	// when the server drains; drainMost bounds all of that.
	drainPause = 20 * time.Millisecond
	drainMost  = time.Second

	// lingerMost bounds what is still read of a client that gets an error and is
	// cut off: with anything unread, closing would take the error away from it.
	lingerMost = 256 << 10 // bytes
	lingerTime = 500 * time.Millisecond
)

// connection is a client's. Its goroutine reads all that has arrived, runs the
// commands in it, and writes all replies at once.
type connection struct {
	*Server
	conn net.Conn
	id   int64
	session
	batch

	in     []byte // in[:held] is read and not run
	held   int
	need   int       // bytes before it is worth another look
	filled bool      // the last read used all the room
	since  time.Time // when what is held began to arrive
	active time.Time // when the client was last heard, or answered
	text   []byte    // of the command that is run
	args   [][]byte
	again  again

	reading, writing deadline

	ending  bool // after the replies
	drained time.Time
}

func newConnection(s *Server, conn net.Conn) *connection {
	c := &connection{Server: s, conn: conn, id: s.ids.Add(1), in: make([]byte, firstBuffer), active: time.Now()}
	c.reading.set = func(at time.Time) error { return c.conn.SetReadDeadline(at) }
	c.writing.set = func(at time.Time) error { return c.conn.SetWriteDeadline(at) }
	c.session.reset()
	return c
}

func (c *connection) serve() {
	if !c.shakeHands() {
		return
	}
	for !c.ending {
		if !c.read() {
			return
		}
		c.run()
		if !c.flush() {
			return
		}
	}
	c.linger()
}

// shakeHands is for TLS; otherwise a handshake would be given as long as an idle
// client.
func (c *connection) shakeHands() bool {
	handshake, ok := c.conn.(interface{ HandshakeContext(context.Context) error })
	if !ok {
		return true
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.Patience)
	defer cancel()
	return handshake.HandshakeContext(ctx) == nil
}

// read waits for as much as makes it worth to look. It is false when the
// connection is to end.
func (c *connection) read() bool {
	c.makeRoom()
	for {
		c.bound()
		// Whoever drains wakes all connections after it says so: asked the other
		// way round, the deadline just set could undo that.
		draining := c.draining.Load()
		if draining && !c.drainOn() {
			return false
		}
		n, err := c.conn.Read(c.in[c.held:])
		if n > 0 {
			c.active = time.Now()
			if c.held == 0 {
				c.since = c.active
			}
			c.held += n
			c.filled = c.held == len(c.in)
			if c.held >= c.need || c.filled {
				return true
			}
			continue
		}
		if err != nil && !(isTimeout(err) && !draining && c.draining.Load()) {
			return false
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

// bound says when to give up: a command that has begun is not given more time by
// sending a byte of it now and then.
func (c *connection) bound() {
	if c.held > 0 {
		c.reading.notBefore(c.since.Add(c.Patience), 0)
		return
	}
	c.reading.notBefore(c.active.Add(c.Idle), graceOf(c.Idle))
}

// drainOn gives what is on its way a moment more.
func (c *connection) drainOn() bool {
	now := time.Now()
	if c.drained.IsZero() {
		c.drained = now
	}
	c.conn.SetReadDeadline(now.Add(drainPause))
	return now.Sub(c.drained) < drainMost
}

// makeRoom sees that there is room to read into: more where all of it was used, up
// to what is usual; beyond that for one command only.
func (c *connection) makeRoom() {
	size := len(c.in)
	switch {
	case c.held == size:
		size = min(2*size, fullBuffer)
	case c.filled && size < usualBuffer:
		size *= 2
	case size > usualBuffer && c.held == 0:
		size = usualBuffer
	default:
		return
	}
	in := make([]byte, size)
	copy(in, c.in[:c.held])
	c.in = in
}

// run runs all commands that have arrived.
func (c *connection) run() {
	at := 0
	for !c.ending {
		size := c.runFirst(c.in[at:c.held])
		if size == 0 {
			break
		}
		at += size
		if c.full() && !c.flush() {
			c.ending = true
		}
	}
	if at == 0 {
		return
	}
	if c.held = copy(c.in, c.in[at:c.held]); c.held > 0 {
		c.since = time.Now() // it has just arrived
	}
}

// runFirst runs the first command in the text, and gives its size: 0 where it is not
// complete, or no command.
func (c *connection) runFirst(text []byte) (size int) {
	if known, key, size := c.again.find(text); size > 0 {
		c.counts[cmdThrottle]++
		c.ask(spaces[c.database], key, known.limit, known.cost)
		return size
	}
	cmd, err := parse(text, c.args)
	switch {
	case err != nil:
		c.fail("ERR " + err.Error())
		c.ending = true
	case cmd.size == 0:
		c.await(cmd.need, len(text))
	case len(cmd.args) > 0:
		c.text, c.args = text[:cmd.size], cmd.args
		c.execute(cmd.args)
	}
	return cmd.size
}

// await notes how much there must be, where the command is not above the bound.
func (c *connection) await(need, held int) {
	if c.need = need; need > maxCommand || held >= maxCommand {
		c.fail("ERR " + protocolError("too big a command").Error())
		c.ending = true
	}
}

// flush decides what is waiting for a decision and writes all replies. It is false
// when the client does not take them.
func (c *connection) flush() bool {
	out := c.batch.render(c)
	if len(out) == 0 {
		return true
	}
	c.active = time.Now()
	c.writing.notBefore(c.active.Add(c.Patience), graceOf(c.Patience))
	_, err := c.conn.Write(out)
	c.batch.clear()
	if err != nil {
		c.ending = true
	}
	return err == nil
}

// linger ends a connection so that the client gets the last reply.
func (c *connection) linger() {
	half, ok := c.conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	c.conn.SetReadDeadline(time.Now().Add(lingerTime))
	io.CopyN(io.Discard, c.conn, lingerMost)
}
