package resp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/certtest"
)

// What is not the protocol gets an error, after the replies to what came before
// it, and the connection ends.
func TestWhatIsNotTheProtocolEndsTheConnection(t *testing.T) {
	long := strings.Repeat("x", maxCommand)
	for _, c := range []struct{ name, send, want string }{
		{"a nested array", "*1\r\n*1\r\n*1\r\n", "expected '$', got '*'"},
		{"an integer for a text", "*1\r\n:1\r\n", "expected '$', got ':'"},
		{"too many words", "*129\r\n", "invalid multibulk length"},
		{"far too many words", "*2147483648\r\n", "invalid multibulk length"},
		{"words without number", "*x\r\n", "invalid multibulk length"},
		{"a length without end", "*" + strings.Repeat("0", 30), "invalid multibulk length"},
		{"a huge text", "*1\r\n$512000000\r\n", "invalid bulk length"},
		{"a text of no length", "*1\r\n$-1\r\n", "invalid bulk length"},
		{"a length that overflows", "*1\r\n$99999999999999999999\r\n", "invalid bulk length"},
		{"a text that is longer than it says", "*1\r\n$4\r\nPING!\r\n", "a bulk string does not end where its length says"},
		{"a line end without its half", "*1\n$4\nPING\n", "invalid multibulk length"},
		{"texts that are too long together", "*3\r\n" + fmt.Sprintf("$%d\r\n%s\r\n", maxCommand-20, long[:maxCommand-20]) + "$1\r\na\r\n$1\r\na\r\n", "invalid bulk length"},
		{"as long as there may be, and more to come", "*2\r\n" + fmt.Sprintf("$%d\r\n%s\r\n", maxCommand-14, long[:maxCommand-14]), "too big a command"},
		{"a long line", long[:maxInline] + "\r\n", "too big inline request"},
		{"a line without end", long[:maxInline], "too big inline request"},
		{"a web page's request", "POST / HTTP/1.1\r\nHost: localhost:6380\r\n\r\nCL.THROTTLE k 1 1 1\r\n", "this is no HTTP server"},
		{"another of its requests", "PUT /x HTTP/1.1\r\nCL.THROTTLE k 1 1 1\r\n", "this is no HTTP server"},
		{"the rest of one", "GET /\r\n\r\nHost: localhost\r\n", "this is no HTTP server"},
		{"a TLS greeting", "\x16\x03\x01\x02\x00\x01\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := start(t, Options{}).dial()
			client.write(encoded("PING"))
			go io.WriteString(client.conn, c.send)
			if got := client.reply(); got != "+PONG" {
				t.Fatal(got)
			}
			if c.want == "" {
				if got := client.reply(); !strings.HasPrefix(got, "-ERR unknown command '???") {
					t.Error(got)
				}
				return
			}
			got := client.reply()
			if strings.HasPrefix(got, "-ERR unknown command 'GET'") {
				got = client.reply()
			}
			if got != "-ERR Protocol error: "+c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			client.closed()
		})
	}
}

// What asks nothing is answered nothing, and words may be typed.
func TestLines(t *testing.T) {
	c := start(t, Options{}).dial()
	c.write("*0\r\n*-1\r\n\r\n\n  \r\nPING\r\n  cl.throttle\tk 0 1  1 \nPING")
	for _, want := range []string{"+PONG", "*[0 1 0 -1 1]"} {
		if got := c.reply(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	c.write("\n")
	if got := c.reply(); got != "+PONG" {
		t.Error(got)
	}
}

// A command may come byte by byte, and as large as there may be.
func TestCommandsInPieces(t *testing.T) {
	c := start(t, Options{}).dial()
	for _, b := range []byte(encoded("CL.THROTTLE", "k", "0", "1", "1")) {
		c.write(string(b))
	}
	if got := c.reply(); got != "*[0 1 0 -1 1]" {
		t.Error(got)
	}
	large := strings.Repeat("x", maxCommand-100)
	go c.conn.Write([]byte(strings.Repeat(encoded("ECHO", large)+encoded("PING"), 10)))
	for range 10 {
		if got := c.reply(); got != large {
			t.Errorf("%d bytes come back", len(got))
		}
		if got := c.reply(); got != "+PONG" {
			t.Error(got)
		}
	}
}

// Nobody holds a connection by sending a byte now and then, or nothing.
func TestSlowClientsAreCutOff(t *testing.T) {
	t.Run("in the middle of a command", func(t *testing.T) {
		c := start(t, Options{Patience: 300 * time.Millisecond}).dial()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		go func() {
			for range maxInline { // after which it is cut off anyway, with an error
				if _, err := io.WriteString(c.conn, "P"); err != nil {
					return
				}
				<-tick.C
			}
		}()
		if got, err := c.r.ReadString('\n'); got != "" || err == nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("between commands", func(t *testing.T) {
		start(t, Options{Idle: 20 * time.Millisecond}).dial().closed()
	})
	t.Run("in the handshake", func(t *testing.T) {
		s, _ := startTLS(t, Options{Patience: 20 * time.Millisecond})
		s.dial().closed()
	})
}

// A client that never reads is cut off, and what it may have is bounded.
func TestClientsThatNeverReadAreCutOff(t *testing.T) {
	s := start(t, Options{Patience: 50 * time.Millisecond})
	c := s.dial()
	ask := []byte(strings.Repeat(encoded("ECHO", strings.Repeat("x", 1000)), 100))
	for range 10_000 { // 1 GB
		if _, err := c.conn.Write(ask); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("it is left waiting")
			}
			return
		}
	}
	t.Error("all of it was taken")
}

// Commands that are answered with more than they are do not add up in memory:
// replies are written when there are so many.
func TestRepliesAreWrittenBeforeTheyGrow(t *testing.T) {
	s := start(t, Options{})
	c := s.piped()
	const n = 800
	go c.conn.Write([]byte(strings.Repeat("COMMAND\r\n", n) + "QUIT\r\n"))
	all, piece := 0, make([]byte, 4<<20) // each read is one write of the server's
	for {
		n, err := c.conn.Read(piece)
		if n > 2*maxReady {
			t.Fatalf("%d bytes at once", n)
		}
		all += n
		if err != nil {
			break
		}
	}
	if all < 500*n {
		t.Errorf("set-up: %d bytes in all", all)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	s := start(t, Options{MaxConnections: 2})
	one, two := s.dial(), s.dial()
	for _, c := range []*client{one, two} {
		if got := c.do("PING"); got != "+PONG" {
			t.Error(got)
		}
	}
	three := s.dial()
	if got := three.reply(); got != "-ERR max number of clients reached" {
		t.Error(got)
	}
	three.closed()
	one.do("QUIT")
	one.closed()
	over := time.Now().Add(patience)
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		c := s.dial()
		c.write(encoded("PING"))
		if got, err := readReply(c.r); err == nil && got == "+PONG" {
			break
		}
		if time.Now().After(over) {
			t.Fatal("a place that was left is not given again")
		}
	}
}

// A panic costs one connection.
func TestPanicCostsOneConnection(t *testing.T) {
	s := start(t, Options{})
	s.engine.store = nil
	c := s.dial()
	c.write(encoded("CL.THROTTLE", "k", "1", "1", "1"))
	c.closed()
	if got := s.dial().do("PING"); got != "+PONG" {
		t.Error(got)
	}
}

func startTLS(t *testing.T, o Options) (*service, *tls.Config) {
	t.Helper()
	ca := certtest.NewAuthority(t)
	pair, err := tls.LoadX509KeyPair(ca.Issue(t, t.TempDir(), "server"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, o, tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}})), &tls.Config{RootCAs: ca.Pool()}
}

func TestTLS(t *testing.T) {
	s, trust := startTLS(t, Options{})
	conn, err := tls.Dial("tcp", s.addr, trust)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, strings.Repeat(encoded("CL.THROTTLE", "k", "49", "1", "60"), 100)+"*x\r\n")
	all, err := io.ReadAll(conn)
	if got := strings.Count(string(all), "*5\r\n:0"); err != nil || got != 50 || !strings.HasSuffix(string(all), "invalid multibulk length\r\n") {
		t.Errorf("%d pass, %v: %.100q", got, err, all)
	}
}
