package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"time"
)

// direct sends requests to an upstream of HTTP/1, in the goroutine that asks.
// http.Transport has two more for each connection, and what they tell each other
// costs as much as the request: they are there for bodies, which can be sent while
// the answer arrives, and to see an idle connection end. Here a request is sent
// before its answer is read, and an idle connection is looked at when it is
// wanted. Parsing and framing are net/http's.
type direct struct {
	address string
	timeout time.Duration
	idle    *idle
}

func newDirect(u *Upstream, timeout time.Duration) *direct {
	return &direct{address: u.Address(), timeout: timeout, idle: newIdle()}
}

// RoundTrip implements http.RoundTripper. A connection is given up after any error:
// nothing is sent again.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	l, err := d.link(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { l.SetDeadline(time.Unix(1, 0)) })
	answer, err := d.exchange(l, r)
	if err != nil {
		stop()
		l.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	b := &body{from: answer.Body, link: l, idle: d.idle, stop: stop, reusable: !answer.Close}
	if answer.Body == http.NoBody {
		b.end(true)
		return answer, nil
	}
	answer.Body = b
	return answer, nil
}

// link is an idle connection, or a new one.
func (d *direct) link(ctx context.Context) (*link, error) {
	if l := d.idle.take(); l != nil {
		return l, nil
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	c, err := dialer.DialContext(ctx, "tcp", d.address)
	if err != nil {
		return nil, err
	}
	return newLink(c.(*net.TCPConn), d.timeout)
}

// exchange sends the request and reads the answer's header.
func (d *direct) exchange(l *link, r *http.Request) (*http.Response, error) {
	if err := r.Write(l.out); err != nil {
		return nil, err
	}
	if err := l.out.Flush(); err != nil {
		return nil, err
	}
	l.SetReadDeadline(time.Now().Add(d.timeout))
	for range maxInformational {
		l.headerLeft = maxHeaderBytes
		answer, err := http.ReadResponse(l.in, r)
		switch {
		case err != nil && l.headerLeft <= 0:
			return nil, errors.New("proxy: the header of the answer is too long")
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			return nil, fmt.Errorf("proxy: the connection ended before the answer: %w", err)
		case err != nil:
			return nil, err
		case answer.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("proxy: the answer switches protocols, which was not asked for")
		case answer.StatusCode >= 200:
			l.headerLeft = unlimited
			if answer.ContentLength < 0 || answer.ContentLength > int64(l.in.Buffered()) {
				l.SetReadDeadline(time.Time{}) // the rest may take its time
			}
			return answer, nil
		}
		if err := inform(r.Context(), answer); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("proxy: too many informational answers")
}

// inform passes on what comes before the answer.
func inform(ctx context.Context, a *http.Response) error {
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil || trace.Got1xxResponse == nil {
		return nil
	}
	return trace.Got1xxResponse(a.StatusCode, textproto.MIMEHeader(a.Header))
}

// body is an answer's. At its end the connection is idle again.
type body struct {
	from     io.ReadCloser
	link     *link
	idle     *idle
	stop     func() bool
	reusable bool
	ended    bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.ended {
		return b.from.Read(p) // the end again; the connection is not touched
	}
	n, err := b.from.Read(p)
	if err != nil {
		b.end(err == io.EOF)
	}
	return n, err
}

// Close implements io.Closer. What was not read to its end has no use any more.
func (b *body) Close() error {
	b.end(false)
	return nil
}

func (b *body) end(whole bool) {
	if b.ended {
		return
	}
	b.ended = true
	if b.stop() && whole && b.reusable {
		b.idle.put(b.link)
		return
	}
	b.link.Close()
}
