package proxy

import (
	"bufio"
	"io"
	"math"
	"net"
	"syscall"
	"time"
)

// link is a connection to the upstream on which one request at a time is under
// way.
type link struct {
	connection
	in         *bufio.Reader
	out        *bufio.Writer
	headerLeft int64 // bytes that may be read yet; see exchange
	since      time.Time
	raw        syscall.RawConn
	look       func(fd uintptr) bool // made once: see isIdle
	silent     bool                  // what look found
}

const unlimited = math.MaxInt64

func newLink(c *net.TCPConn, timeout time.Duration) (*link, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		c.Close()
		return nil, err
	}
	l := &link{connection: connection{Conn: c, pace: pace{timeout: timeout}}, headerLeft: unlimited, raw: raw}
	l.in = bufio.NewReaderSize(limited{l}, connectionBuffer)
	l.out = bufio.NewWriterSize(l, connectionBuffer)
	l.look = func(fd uintptr) bool {
		l.silent = isSilent(fd)
		return true
	}
	return l, nil
}

// isIdle reports whether the connection is open and nothing has arrived on it. One
// whose deadline has passed since counts as not: it cannot be looked at.
func (l *link) isIdle() bool {
	if l.in.Buffered() > 0 || time.Since(l.since) > idleTimeout {
		return false
	}
	return l.raw.Read(l.look) == nil && l.silent
}

// limited reads no more than a header may have.
type limited struct{ *link }

func (r limited) Read(p []byte) (int, error) {
	if r.headerLeft <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if int64(len(p)) > r.headerLeft {
		p = p[:r.headerLeft]
	}
	n, err := r.link.Conn.Read(p)
	r.headerLeft -= int64(n)
	return n, err
}
