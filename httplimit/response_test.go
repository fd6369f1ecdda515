package httplimit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// serve starts a real server of HTTP/1, or of HTTP/2, behind a limit.
func serve(t *testing.T, http2 bool, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	limiter, _ := newLimiter(t, weir.PerMinute(100))
	server := httptest.NewUnstartedServer(New(limiter, ByIP()).Wrap(handler))
	server.EnableHTTP2 = http2
	if http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

// Server-sent events arrive one by one, whichever way the handler flushes.
func TestEventsStream(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for name, flush := range map[string]func(http.ResponseWriter) error{
			"by assertion":      func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return nil },
			"by the controller": func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() },
		} {
			t.Run(fmt.Sprintf("%s/HTTP2=%t", name, http2), func(t *testing.T) {
				read := make(chan struct{})
				server := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					for i := range 3 {
						fmt.Fprintf(w, "data: %d\n\n", i)
						if err := flush(w); err != nil {
							t.Error(err)
						}
						select {
						case <-read: // before the next one is sent
						case <-r.Context().Done():
						}
					}
				})
				answer, err := server.Client().Get(server.URL)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				if answer.Header.Get("RateLimit") == "" {
					t.Error("no rate-limit fields")
				}
				lines := bufio.NewScanner(answer.Body)
				for i := range 3 {
					if !lines.Scan() || lines.Text() != fmt.Sprintf("data: %d", i) {
						t.Fatalf("event %d: %q, %v", i, lines.Text(), lines.Err())
					}
					lines.Scan() // the blank line
					read <- struct{}{}
				}
			})
		}
	}
}

// A connection can be taken over, as for a websocket, either way.
func TestConnectionsAreHijacked(t *testing.T) {
	for name, hijack := range map[string]func(http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error){
		"by assertion": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) { return w.(http.Hijacker).Hijack() },
		"by the controller": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
			return http.NewResponseController(w).Hijack()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, false, func(w http.ResponseWriter, _ *http.Request) {
				conn, buffered, err := hijack(w)
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				buffered.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
				buffered.Flush()
				io.Copy(conn, buffered)
			})
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
			reader := bufio.NewReader(conn)
			if line, err := reader.ReadString('\n'); !strings.Contains(line, "101") {
				t.Fatal(line, err)
			}
			for line := ""; line != "\r\n"; line, _ = reader.ReadString('\n') {
			}
			fmt.Fprintln(conn, "anybody there?")
			if line, err := reader.ReadString('\n'); line != "anybody there?\n" {
				t.Fatal(line, err)
			}
		})
	}
}

// A writer can do what the one it wraps can, and nothing else: handlers choose by
// that.
func TestWritersPretendNothing(t *testing.T) {
	can := func(w http.ResponseWriter) string {
		var all []string
		if _, ok := w.(http.Flusher); ok {
			all = append(all, "flush")
		}
		if _, ok := w.(http.Hijacker); ok {
			all = append(all, "hijack")
		}
		if _, ok := w.(http.Pusher); ok {
			all = append(all, "push")
		}
		return strings.Join(all, " ")
	}
	for _, http2 := range []bool{false, true} {
		var bare, behind string
		server := serve(t, http2, func(w http.ResponseWriter, _ *http.Request) {
			behind = can(w)
			bare = can(w.(interface{ Unwrap() http.ResponseWriter }).Unwrap())
		})
		get(t, server)
		if behind != bare || bare == "" {
			t.Errorf("HTTP2=%t: behind the limit a writer can %q, without it %q", http2, behind, bare)
		}
	}
	limiter, _ := newLimiter(t, weir.PerMinute(100))
	for _, w := range []http.ResponseWriter{httptest.NewRecorder(), &mute{}} {
		New(limiter, ByIP()).Wrap(http.HandlerFunc(func(wrapped http.ResponseWriter, _ *http.Request) {
			if can(wrapped) != can(w) {
				t.Errorf("%T can %q, wrapped %q", w, can(w), can(wrapped))
			}
			if err := http.NewResponseController(wrapped).Flush(); (err == nil) != (can(w) == "flush") {
				t.Errorf("%T: Flush: %v", w, err)
			}
		})).ServeHTTP(w, from("203.0.113.7"))
	}
}

// mute is a writer that can only write.
type mute struct{ header http.Header }

func (m *mute) Header() http.Header {
	if m.header == nil {
		m.header = http.Header{}
	}
	return m.header
}
func (m *mute) Write(p []byte) (int, error) { return len(p), nil }
func (m *mute) WriteHeader(int)             {}

// http.ServeContent's way to sendfile stays open: what it copies reaches the
// server's own ReadFrom.
func TestReadFromReachesTheServer(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(100))
	w := &copying{ResponseRecorder: httptest.NewRecorder()}
	New(limiter, ByIP()).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n, err := io.Copy(w, io.LimitReader(strings.NewReader("file"), 4)); n != 4 || err != nil {
			t.Error(n, err)
		}
	})).ServeHTTP(w, from("203.0.113.7"))
	if !w.asked || w.Body.String() != "file" {
		t.Errorf("ReadFrom was asked: %t; body %q", w.asked, w.Body)
	}
}

type copying struct {
	*httptest.ResponseRecorder
	asked bool
}

func (c *copying) ReadFrom(src io.Reader) (int64, error) {
	c.asked = true
	return io.Copy(c.ResponseRecorder, src)
}

func TestContentIsServed(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1<<16)
	for _, http2 := range []bool{false, true} {
		server := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "a.bin", t0, bytes.NewReader(content))
		})
		if got := get(t, server); !bytes.Equal(got, content) {
			t.Errorf("HTTP2=%t: %d bytes arrived", http2, len(got))
		}
	}
}

func get(t *testing.T, server *httptest.Server) []byte {
	t.Helper()
	answer, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
