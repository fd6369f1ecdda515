package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// play answers every request of a connection with f, until f says no.
func play(f func(u net.Conn, r *http.Request) bool) func(net.Conn) {
	return func(u net.Conn) {
		in := bufio.NewReader(u)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			if !f(u, r) {
				return
			}
		}
	}
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// One caller needs one connection, whatever the answers are framed by.
func TestConnectionsAreReused(t *testing.T) {
	for _, answer := range []string{
		ok,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nEnd: 1\r\n\r\n",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\n\r\n" + ok,
	} {
		var connections atomic.Int64
		r := start(t, wide, script(t, func(u net.Conn) {
			connections.Add(1)
			play(func(u net.Conn, _ *http.Request) bool {
				io.WriteString(u, answer)
				return true
			})(u)
		}))
		for i := range 20 {
			var body io.Reader
			if i%2 == 1 {
				body = strings.NewReader(`{"small": true}`)
			}
			r.do(t, "POST", "/", nil, body)
		}
		// Without any body a POST is simple too, so all twenty are.
		if n := connections.Load(); n != 1 {
			t.Errorf("%q: %d connections", answer, n)
		}
	}
}

// A connection that the upstream closed while it was idle is noticed before it is
// used: no request is lost on it.
func TestClosedIdleConnectionsAreNotUsed(t *testing.T) {
	closed := make(chan bool, 1)
	r := start(t, wide, script(t, func(u net.Conn) {
		play(func(u net.Conn, _ *http.Request) bool {
			io.WriteString(u, ok)
			return false
		})(u)
		u.Close()
		closed <- true
	}))
	for range 10 {
		if a, body := r.do(t, "GET", "/", nil, nil); a.StatusCode != 200 || body != "ok" {
			t.Fatalf("%d %q", a.StatusCode, body)
		}
		<-closed
	}
}

// What an upstream says unasked is nobody's answer.
func TestNoAnswerIsSmuggled(t *testing.T) {
	for _, pause := range []bool{false, true} {
		r := start(t, wide, script(t, play(func(u net.Conn, _ *http.Request) bool {
			const more = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nSMUGGLED"
			if pause {
				io.WriteString(u, ok)
				io.WriteString(u, more)
			} else {
				io.WriteString(u, ok+more)
			}
			return true
		})))
		for range 20 {
			a, body := r.do(t, "GET", "/", nil, nil)
			// Sent behind the answer, it may arrive when the next request is under
			// way: there HTTP/1 cannot tell.
			if body != "ok" && !pause || a.StatusCode != 200 {
				t.Fatalf("%d %q", a.StatusCode, body)
			}
		}
	}
}

// What an upstream may send before its answer has an end.
func TestInformationalAnswersEnd(t *testing.T) {
	r := start(t, wide, script(t, play(func(u net.Conn, _ *http.Request) bool {
		io.WriteString(u, strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100)+ok)
		return false
	})))
	if a, _ := r.do(t, "GET", "/", nil, nil); a.StatusCode != 502 {
		t.Errorf("status %d", a.StatusCode)
	}
}

// An answer that nobody reads to its end gives its connection to nobody.
func TestHalfReadAnswersEndTheirConnection(t *testing.T) {
	ended := make(chan error, 1)
	r := start(t, wide, script(t, play(func(u net.Conn, _ *http.Request) bool {
		io.WriteString(u, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
		_, err := u.Read(make([]byte, 1))
		ended <- err
		return false
	})))
	c := r.dial(t, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if a := readAnswer(t, c, "GET"); a.StatusCode != 200 {
		t.Fatal(a.StatusCode)
	}
	c.Close()
	select {
	case err := <-ended:
		if err != io.EOF && !strings.Contains(fmt.Sprint(err), "reset") {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the connection is kept")
	}
}

// Idle connections are few, not old, and gone when the proxy is closed.
func TestIdleConnections(t *testing.T) {
	i := newIdle()
	var ends []net.Conn
	put := func() {
		near, far := net.Pipe()
		ends = append(ends, far)
		i.put(&link{connection: connection{Conn: near}})
	}
	open := func(c net.Conn) bool {
		c.SetReadDeadline(time.Unix(1, 0))
		_, err := c.Read(make([]byte, 1))
		return err != io.EOF
	}
	for range maxIdle + 1 {
		put()
	}
	if !open(ends[0]) || !open(ends[maxIdle-1]) || open(ends[maxIdle]) {
		t.Error("more are kept than may be, or others")
	}
	i.links[0].since = i.links[0].since.Add(-idleTimeout)
	i.closeOld()
	if open(ends[0]) || !open(ends[1]) || len(i.links) != maxIdle-1 {
		t.Errorf("of those too old: %d are left", len(i.links))
	}
	i.close()
	put()
	if open(ends[1]) || open(ends[len(ends)-1]) {
		t.Error("some outlive the proxy")
	}
}
