package resp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// patience is how long a test waits for what happens at once, unless something is
// broken.
const patience = 20 * time.Second

// noon is when the tests' clock stands still.
var noon = time.Date(2024, time.May, 15, 12, 0, 0, 0, time.UTC)

// engine decides in a store, and notes what it was asked.
type engine struct {
	store weir.Store
	err   error // of every call, where it is one

	mu    sync.Mutex
	calls []int // checks of each call
}

func (e *engine) DecideEach(ctx context.Context, checks []weir.Check, results []weir.Result) (int, error) {
	e.mu.Lock()
	e.calls = append(e.calls, len(checks))
	e.mu.Unlock()
	if e.err != nil {
		return 0, e.err
	}
	return weir.TakeEach(ctx, e.store, checks, results)
}

func (e *engine) Forget(ctx context.Context, keys []weir.Key) error {
	if e.err != nil {
		return e.err
	}
	return e.store.Reset(ctx, keys)
}

// blocking is an engine whose first decision waits.
type blocking struct {
	*engine
	once           sync.Once
	entered, leave chan struct{}
}

func (b *blocking) DecideEach(ctx context.Context, checks []weir.Check, results []weir.Result) (int, error) {
	b.once.Do(func() {
		close(b.entered)
		select {
		case <-b.leave:
		case <-ctx.Done():
		}
	})
	return b.engine.DecideEach(ctx, checks, results)
}

// asked are the checks of each call so far.
func (e *engine) asked() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]int(nil), e.calls...)
}

// service is a server on a free port, over a store whose clock stands at noon
// until a test moves it.
type service struct {
	t      testing.TB
	server *Server
	engine *engine
	addr   string

	mu  sync.Mutex
	now time.Time
}

func start(t testing.TB, o Options) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, o, listener)
}

func startOn(t testing.TB, o Options, listener net.Listener) *service {
	s := &service{t: t, now: noon}
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: s.clock})
	t.Cleanup(func() { store.Close() })
	s.engine = &engine{store: store}
	o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	s.server = New(s.engine, o)
	s.serve(listener)
	return s
}

func (s *service) serve(l net.Listener) {
	s.addr = l.Addr().String()
	done := make(chan error, 1)
	go func() { done <- s.server.Serve(l) }()
	s.t.Cleanup(func() {
		s.server.Close()
		if err := <-done; !errors.Is(err, ErrClosed) {
			s.t.Error(err)
		}
	})
}

func (s *service) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *service) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// client is a connection whose replies are read as text.
type client struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
}

func (s *service) dial() *client {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return &client{s.t, conn, bufio.NewReader(conn)}
}

func (c *client) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, text); err != nil {
		c.t.Fatal(err)
	}
}

// encoded is a command as clients send it.
func encoded(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	return b.String()
}

// do sends the words of a line, none of which has a blank, and gives the reply.
func (c *client) do(line string) string {
	c.t.Helper()
	return c.ask(strings.Fields(line)...)
}

func (c *client) ask(words ...string) string {
	c.t.Helper()
	c.write(encoded(words...))
	return c.reply()
}

// reply is the next one: a line without its end, or elements in brackets.
func (c *client) reply() string {
	c.t.Helper()
	text, err := readReply(c.r)
	if err != nil {
		c.t.Fatalf("no reply: %v", err)
	}
	return text
}

func readReply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	var n int
	if len(line) > 1 {
		fmt.Sscan(line[1:], &n)
	}
	switch line[0] {
	case '$':
		if n < 0 {
			return "nil", nil
		}
		text := make([]byte, n+2)
		_, err := io.ReadFull(r, text)
		return string(text[:n]), err
	case '%':
		n *= 2
	case '*':
		if n < 0 {
			return "nil array", nil
		}
	case ':':
		return line[1:], nil
	default:
		return line, nil
	}
	parts := make([]string, n)
	for i := range parts {
		if parts[i], err = readReply(r); err != nil {
			return "", err
		}
	}
	return line[:1] + "[" + strings.Join(parts, " ") + "]", nil
}

// closed waits for the connection's end.
func (c *client) closed() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.r); err != nil || len(rest) > 0 {
		c.t.Errorf("instead of the end: %q, %v", rest, err)
	}
}

func keysOf(names ...string) (keys []weir.Key) {
	for _, name := range names {
		keys = append(keys, weir.Key{Layer: layer, Limit: spaces[0], Identity: name})
	}
	return keys
}
