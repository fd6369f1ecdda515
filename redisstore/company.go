package redisstore

import (
	"context"
	"errors"
	"time"
)

// waiter is a take that waits for a call which is made for several.
type waiter struct {
	deadline time.Time // zero: none
	with     *company  // nil in the queue
	back     chan struct{}
	err      error // once back tells
}

func newWaiter() waiter { return waiter{back: make(chan struct{}, 1)} }

// wait is false for one that gives up.
func (w *waiter) wait(ctx context.Context) bool {
	done := ctx.Done()
	if done == nil { // no select: a take on a hot key costs a twentieth less
		<-w.back
		return true
	}
	select {
	case <-w.back:
		return true
	case <-done:
		return false
	}
}

// tell is the end of the wait.
func (w *waiter) tell(err error) {
	w.err = err
	w.back <- struct{}{}
}

// errOver is told to those whose call was given up with the last of them.
var errOver = errors.New("redisstore: everybody's time is over, yours too")

// verdict is the error of one that was told.
func verdict(ctx context.Context, err error) error {
	if err == errOver {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

// company are those who wait for one call. Its context ends with the last of them.
type company struct {
	ctx    context.Context
	cancel context.CancelFunc
	left   int // who have not gone meanwhile
}

// gather makes a company of a queue, in which nobody is any more then.
func gather[W interface{ waiting() *waiter }](queue []W) *company {
	c := &company{left: len(queue)}
	last, all := time.Time{}, true // when the last will have given up, if all will
	for _, member := range queue {
		w := member.waiting()
		w.with = c
		all = all && !w.deadline.IsZero()
		if w.deadline.After(last) {
			last = w.deadline
		}
	}
	if all {
		c.ctx, c.cancel = context.WithDeadline(context.Background(), last)
	} else {
		c.ctx, c.cancel = context.WithCancel(context.Background())
	}
	return c
}

func (w *waiter) waiting() *waiter { return w }

func (c *company) leave() {
	if c.left--; c.left == 0 {
		c.cancel()
	}
}

// end is what the members are told of a call's error.
func (c *company) end(err error) error {
	if err != nil && c.ctx.Err() != nil {
		err = errOver
	}
	c.cancel()
	return err
}
