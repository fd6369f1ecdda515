package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

const upgrade = "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// echo is an upstream that switches protocols and then says what it hears.
func echo(t *testing.T) string {
	return script(t, func(u net.Conn) {
		in := bufio.NewReader(u)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if r.Header.Get("Connection") != "Upgrade" || r.Header.Get("Upgrade") != "websocket" {
			io.WriteString(u, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			return
		}
		fmt.Fprint(u, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(u, in)
	})
}

// socket is an upgraded connection through the proxy.
type socket struct {
	net.Conn
	*bufio.Reader
	header http.Header
}

func (r *running) upgrade(t *testing.T) *socket {
	t.Helper()
	s := &socket{Conn: r.dial(t, upgrade)}
	s.Reader = bufio.NewReader(s.Conn)
	a, err := http.ReadResponse(s.Reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("status %d", a.StatusCode)
	}
	s.header = a.Header
	return s
}

func (s *socket) says(t *testing.T, line string) {
	t.Helper()
	fmt.Fprintln(s.Conn, line)
	if got, err := s.ReadString('\n'); got != line+"\n" {
		t.Fatalf("%q %v", got, err)
	}
}

// Read is ambiguous between the two.
func (s *socket) Read(p []byte) (int, error) { return s.Reader.Read(p) }

// Nobody is asked about requests within a connection, so no upstream gets to hear
// of one that speaks HTTP; the request passes without.
func TestNoTunnelForRequests(t *testing.T) {
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade")+r.Header.Get("Connection") != "" {
			t.Errorf("the upstream is asked for %v", r.Header)
		}
	}))
	for _, protocols := range []string{"h2c", "H2C", "websocket, h2c", " h2c , websocket", "HTTP/2.0", "TLS/1.0, HTTP/1.1"} {
		request := strings.Replace(upgrade, "Connection: Upgrade\r\nUpgrade: websocket", "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: \r\nUpgrade: "+protocols, 1)
		if a := readAnswer(t, r.dial(t, request), "GET"); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", protocols, a.StatusCode)
		}
	}
}

// A websocket is one request, however much is said on it, and is told its limits.
func TestWebsocket(t *testing.T) {
	r := start(t, five, echo(t))
	s := r.upgrade(t)
	for i := range 20 {
		s.says(t, fmt.Sprint("line ", i))
	}
	if got := s.header["X-Ratelimit-Remaining"]; len(got) != 1 || got[0] != "4" {
		t.Errorf("remaining: %q", got)
	}
	for range 4 {
		r.upgrade(t)
	}
	if a := readAnswer(t, r.dial(t, upgrade), "GET"); a.StatusCode != 429 {
		t.Errorf("the sixth: %d", a.StatusCode)
	}
	s.says(t, "the first still talks")
}

// Whoever hangs up on one side hangs up on the other, and is counted no more.
func TestWebsocketsEnd(t *testing.T) {
	r := start(t, wide, echo(t))
	s := r.upgrade(t)
	s.says(t, "hello")
	s.Close()
	if err := r.proxy.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// Draining waits for websockets; closing cuts them off.
func TestWebsocketsAreDrained(t *testing.T) {
	r := start(t, wide, echo(t))
	s := r.upgrade(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.proxy.Drain(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("drained with one open: %v", err)
	}
	s.says(t, "still here")
	r.proxy.Close()
	if err := r.proxy.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(s); err != nil || len(got) > 0 {
		t.Errorf("after the end: %q %v", got, err)
	}
}

// An upstream that does not want to, or that switches to what was not asked for,
// is no websocket.
func TestUpgradesThatFail(t *testing.T) {
	for answer, want := range map[string]int{
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n":                                                       200,
		"HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n":                                         426,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n":                  502,
		"HTTP/1.1 101 Switching Protocols\r\nContent-Length: 0\r\n\r\n":                                      502,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\xff\r\n\r\nleftovers": 502,
	} {
		r := start(t, wide, script(t, func(u net.Conn) {
			http.ReadRequest(bufio.NewReader(u))
			io.WriteString(u, answer)
		}))
		if a := readAnswer(t, r.dial(t, upgrade), "GET"); a.StatusCode != want {
			t.Errorf("%s: %d, want %d", strings.ReplaceAll(answer, "\r\n", " "), a.StatusCode, want)
		}
		if err := r.proxy.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
