package resp

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// Commands that have arrived are answered, idle connections end at once, and
// nobody new is taken.
func TestShutdownAnswersWhatHasArrived(t *testing.T) {
	s := start(t, Options{})
	blocked := &blocking{engine: s.engine, entered: make(chan struct{}), leave: make(chan struct{})}
	s.server.engine = blocked
	idle, busy := s.dial(), s.dial()
	idle.do("PING")
	busy.write(encoded("CL.THROTTLE", "k", "0", "1", "60"))
	<-blocked.entered
	busy.write(encoded("CL.THROTTLE", "k", "0", "1", "60") + encoded("PING"))

	done := make(chan error, 1)
	go func() { done <- s.server.Shutdown(t.Context()) }()
	idle.closed()
	if conn, err := net.Dial("tcp", s.addr); err == nil {
		conn.Close()
		t.Error("a new connection is taken")
	}
	close(blocked.leave)
	for _, want := range []string{"*[0 1 0 -1 60]", "*[1 1 0 60 60]", "+PONG"} {
		if got := busy.reply(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	busy.closed()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Shutdown gives up with its context, and Close then ends everything.
func TestCloseCutsOff(t *testing.T) {
	s := start(t, Options{})
	blocked := &blocking{engine: s.engine, entered: make(chan struct{}), leave: make(chan struct{})}
	s.server.engine = blocked
	c := s.dial()
	c.write(encoded("CL.THROTTLE", "k", "0", "1", "60"))
	<-blocked.entered
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := s.server.Close(); err != nil { // waits for the engine, whose context ends
		t.Error(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.server.Serve(listener); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}
