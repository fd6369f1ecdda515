package main

import (
	"net"
	"time"

	"github.com/weirhq/weir/bench/callers"
	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

// load is how callers ask one server.
type load struct {
	settings
	pid  int // whose processor time is told
	each int // requests in one call of ask
	unit string
	ask  func(caller int) error
}

// turn has the callers ask for a while, and measures from when all is warm.
func (l load) turn() ([]turns.Figure, error) {
	if _, err := callers.Ask(l.callers, l.warm, l.ask); err != nil {
		return nil, err
	}
	before := process.CPU(l.pid)
	got, err := callers.Ask(l.callers, l.settings.turn, l.ask)
	if err != nil {
		return nil, err
	}
	requests := float64(got.Calls * l.each)
	return []turns.Figure{
		{Value: requests / got.Took.Seconds(), Unit: l.unit},
		{Value: float64(got.P99.Microseconds()), Unit: "p99-µs"},
		{Value: float64((process.CPU(l.pid) - before).Nanoseconds()) / requests / 1000, Unit: "cpu-µs"},
	}, nil
}

// asker is one caller, with room for an answer. It connects when it first asks: until
// all servers are ready it may be longer than a connection may be idle.
type asker struct {
	address string
	conn    net.Conn
	answer  []byte
}

// patience ends a call of a server that does not answer.
const patience = 20 * time.Second

// askers are one for each caller.
func (b *bench) askers(address string, room int) (all []*asker) {
	for range b.callers {
		a := &asker{address: address, answer: make([]byte, room)}
		b.open = append(b.open, a)
		all = append(all, a)
	}
	return all
}

func (a *asker) connect() (err error) {
	if a.conn == nil {
		a.conn, err = net.Dial("tcp", a.address)
	}
	return err
}

// Close hangs up.
func (a *asker) Close() error {
	if a.conn == nil {
		return nil
	}
	return a.conn.Close()
}

// exchange sends a request and reads until the answer is complete.
func (a *asker) exchange(request []byte, complete func(answer []byte) bool) ([]byte, error) {
	if err := a.connect(); err != nil {
		return nil, err
	}
	if _, err := a.conn.Write(request); err != nil {
		return nil, err
	}
	for held := 0; ; {
		n, err := a.conn.Read(a.answer[held:])
		if err != nil {
			return nil, err
		}
		if held += n; complete(a.answer[:held]) {
			return a.answer[:held], nil
		}
	}
}
