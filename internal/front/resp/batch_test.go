package resp

import (
	"bufio"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// piped is a client whose writes the server reads as they were written, each at
// once as far as there is room.
func (s *service) piped() *client {
	here, there := net.Pipe()
	s.t.Cleanup(func() { here.Close() })
	here.SetDeadline(time.Now().Add(patience))
	s.server.take(there)
	return &client{s.t, here, bufio.NewReader(here)}
}

// All that has arrived is one call of the engine, up to the bound, whatever stands
// in between but a reset.
func TestWhatArrivesTogetherIsOneCall(t *testing.T) {
	take := encoded("CL.THROTTLE", "k", "999", "1", "1")
	for _, c := range []struct {
		name  string
		send  string
		calls []int
	}{
		{"one", take, []int{1}},
		{"a hundred", strings.Repeat(take, 100), []int{100}},
		{"more than are decided together", strings.Repeat("CL.THROTTLE k 999 1 1\r\n", 300), []int{maxBatch, maxBatch, 300 - 2*maxBatch}},
		{"other commands in between", take + encoded("PING") + encoded("HELLO", "3") + encoded("CL.THROTTLE") + take, []int{2}},
		{"a reset in between", take + take + encoded("AUTH", token) + encoded("DEL", "k") + take, []int{2, 1}},
		{"no take", encoded("PING"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{Token: token})
			client := s.piped()
			go client.conn.Write([]byte(c.send + encoded("ECHO", "end")))
			for client.reply() != "end" {
			}
			if got := s.engine.asked(); !slices.Equal(got, c.calls) {
				t.Errorf("calls of %v, want %v", got, c.calls)
			}
		})
	}
}

// What is above the bound of a batch is decided in several; nothing is lost.
func TestLongPipelines(t *testing.T) {
	s := start(t, Options{})
	c := s.dial()
	const n = 5000
	go c.conn.Write([]byte(strings.Repeat(encoded("CL.THROTTLE", "k", "2499", "1", "407")+encoded("ECHO", strings.Repeat("x", 100)), n)))
	allowed := 0
	for range n {
		if strings.HasPrefix(c.reply(), "*[0 ") {
			allowed++
		}
		if got := c.reply(); len(got) != 100 {
			t.Fatal(got)
		}
	}
	if allowed != 2500 {
		t.Errorf("%d pass", allowed)
	}
	if calls := s.engine.asked(); slices.Max(calls) > maxBatch {
		t.Errorf("calls of %v", calls)
	}
}

// Where no decision can be made each take says so, and the rest is answered.
func TestNoDecision(t *testing.T) {
	s := start(t, Options{Token: token})
	s.engine.err = errors.New("dial tcp 10.0.0.1:6379: refused")
	c := s.dial()
	take := encoded("CL.THROTTLE", "k", "1", "1", "1")
	c.write(take + encoded("PING") + take + encoded("AUTH", token) + encoded("DEL", "k"))
	for _, want := range []string{
		"-ERR no decision could be made", "+PONG", "-ERR no decision could be made", "+OK",
		"-ERR the store does not answer; whether it was deleted is not known",
	} {
		if got := c.reply(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
