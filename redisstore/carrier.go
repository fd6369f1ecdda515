package redisstore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weirhq/weir"
)

// carrier makes the calls of takes on one server. While few are on their way each
// order is a call of its own, so whoever comes alone waits for nobody. Beyond that
// orders wait until one of those is back, and go together in the next: what a call
// costs beside its decisions, most of all in the server, is theirs together.
//
// An order that waits does so for the part of a round trip that passes until one of
// the calls is back.
type carrier struct {
	store *Store
	split atomic.Bool // the server has no calls of several keys' slots

	mu       sync.Mutex
	onTheWay int // calls
	waiting  []*parcel
	checks   int // of those who wait
}

const (
	// ownCalls are on their way before others have to wait.
	ownCalls = 4
	// sharedChecks are about as many as go in one call, which the server has to end
	// before it does anything else: some 150 µs. Where so many wait they wait no
	// longer.
	sharedChecks = 32
	// mostShared is for one order; one of more is a call in any case.
	mostShared = 8
)

// parcel is an order that waits.
type parcel struct {
	waiter
	order
	read   <-chan struct{} // closed when the order was, which is its caller's
	answer answer
}

var parcels = sync.Pool{New: func() any { return &parcel{waiter: newWaiter()} }}

// release is for a parcel that nobody else knows any more.
func (p *parcel) release() {
	*p = parcel{waiter: waiter{back: p.back}}
	parcels.Put(p)
}

// send has an order decided.
func (s *Store) send(ctx context.Context, o order) (answer, error) {
	if !s.sharesCalls() || !shareable(o) || ctx.Err() != nil {
		return s.call(ctx, o)
	}
	c := s.carrier
	p := c.enter(ctx, o)
	if p == nil {
		defer func() { c.depart(c.next()) }()
		return s.call(ctx, o)
	}
	c.depart(c.full())
	if !p.wait(ctx) {
		c.leave(p)
		return answer{}, ctx.Err()
	}
	a, err := p.answer, p.err
	p.release()
	if err == errAlone {
		return s.call(ctx, o)
	}
	return a, verdict(ctx, err)
}

func (s *Store) sharesCalls() bool {
	return s.carrier != nil && !s.slots && !s.carrier.split.Load() && !s.background.closed.Load()
}

// call is a call for one order.
func (s *Store) call(ctx context.Context, o order) (answer, error) {
	return readOne(s.eval.eval(ctx, takeScript, s.request(o)))
}

// shareable reports whether an order takes little of the server's time: to tell
// the wait of a log it may have to be walked.
func shareable(o order) bool {
	return len(o.checks) <= mostShared && !slices.ContainsFunc(o.checks, isLog)
}

func isLog(c weir.Check) bool { return c.Limit.Algorithm() == weir.SlidingLog }

// enter makes the order one that waits. It is nil where the order is to be a call
// of its own, which is on its way then.
func (c *carrier) enter(ctx context.Context, o order) *parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.onTheWay < ownCalls {
		c.onTheWay++
		return nil
	}
	p := parcels.Get().(*parcel)
	p.order = o
	p.deadline, _ = ctx.Deadline()
	c.waiting = append(c.waiting, p)
	c.checks += len(o.checks)
	return p
}

// leave is for one whose time is over: out of the queue it is not charged.
func (c *carrier) leave(p *parcel) {
	c.mu.Lock()
	if p.with == nil {
		c.waiting = slices.DeleteFunc(c.waiting, func(other *parcel) bool { return other == p })
		c.checks -= len(p.checks)
		c.mu.Unlock()
		return
	}
	p.with.leave()
	c.mu.Unlock()
	<-p.read
}

// full is what goes at once as enough wait; nil where they do not.
func (c *carrier) full() *shipment {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checks < sharedChecks {
		return nil
	}
	c.onTheWay++
	return c.board()
}

// depart has orders carried that nobody waits for in this goroutine. Of a closed
// store they are the last.
func (c *carrier) depart(s *shipment) {
	if s != nil && !c.store.background.start(func() { c.drive(s) }) {
		c.drive(s)
	}
}
