package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose clients are in this process and this bubble.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// bounded runs a test of what a client may do on a server with weir's bounds.
func bounded(t *testing.T, handler http.HandlerFunc, client func(t *testing.T, conn net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{make(chan net.Conn), make(chan struct{})}
		server := newHTTPServer(handler, slog.New(slog.DiscardHandler))
		done := make(chan error)
		go func() { done <- server.Serve(l) }()
		mine, its := net.Pipe()
		l.conns <- its
		client(t, mine)
		mine.Close()
		server.Close()
		<-done
	})
}

// endsAfter wants that the server hangs up, no earlier than after a while and hardly later.
func endsAfter(t *testing.T, conn net.Conn, least time.Duration) {
	t.Helper()
	begun := time.Now()
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < least || took > least+least/8 {
		t.Errorf("the server hung up after %v, want %v", took, least)
	}
}

const plainRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// exchange is a whole request with its answer.
func exchange(t *testing.T, conn net.Conn) {
	t.Helper()
	fmt.Fprint(conn, plainRequest)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
}

func ok(http.ResponseWriter, *http.Request) {}

// Whoever sends nothing, or too slowly, or takes no answer is hung up on, on a new
// connection and on one that has been used.
func TestSlowClientsAreBounded(t *testing.T) {
	for _, used := range []bool{false, true} {
		for name, c := range map[string]struct {
			sends string
			least time.Duration
		}{
			"half a header": {"GET / HTTP/1.1\r\nHo", readHeaderTimeout},
			"half a body":   {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1", readTimeout},
		} {
			t.Run(fmt.Sprintf("%s/used=%t", name, used), func(t *testing.T) {
				reading := func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }
				bounded(t, reading, func(t *testing.T, conn net.Conn) {
					if used {
						exchange(t, conn)
						time.Sleep(time.Minute)
						exchange(t, conn)
					}
					fmt.Fprint(conn, c.sends)
					endsAfter(t, conn, c.least)
				})
			})
		}
	}
}

func TestIdleClientsAreBounded(t *testing.T) {
	bounded(t, ok, func(t *testing.T, conn net.Conn) {
		for range 3 {
			exchange(t, conn)
			time.Sleep(time.Minute)
		}
		exchange(t, conn)
		endsAfter(t, conn, idleTimeout)
	})
}

func TestClientsWhoTakeNoAnswerAreBounded(t *testing.T) {
	var failed chan time.Duration // of the bubble
	bounded(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			return
		}
		begun := time.Now()
		for {
			if _, err := fmt.Fprint(w, strings.Repeat("long ", 1000)); err != nil {
				failed <- time.Since(begun)
				return
			}
		}
	}, func(t *testing.T, conn net.Conn) {
		failed = make(chan time.Duration, 1)
		for range 3 {
			exchange(t, conn)
			time.Sleep(time.Second)
		}
		fmt.Fprint(conn, "GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
		if took := <-failed; took < writeTimeout || took > writeTimeout+time.Second {
			t.Errorf("the answer was given up after %v", took)
		}
	})
}

// A handler may take longer than any bound on its client, and learns when that is gone.
func TestSlowHandlersAreLeftAlone(t *testing.T) {
	var ended chan error // of the bubble
	handler := func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			return
		}
		select {
		case <-time.After(5 * idleTimeout):
		case <-r.Context().Done():
		}
		ended <- r.Context().Err()
	}
	for name, c := range map[string]struct {
		stays time.Duration
		want  error
	}{"the client waits": {6 * idleTimeout, nil}, "the client goes": {3 * idleTimeout, context.Canceled}} {
		t.Run(name, func(t *testing.T) {
			bounded(t, handler, func(t *testing.T, conn net.Conn) {
				ended = make(chan error, 1)
				exchange(t, conn)
				fmt.Fprint(conn, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
				time.Sleep(c.stays)
				conn.Close()
				if err := <-ended; !errors.Is(err, c.want) {
					t.Errorf("its context: %v", err)
				}
			})
		})
	}
}
