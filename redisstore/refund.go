package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/weirhq/weir"
)

// Refund implements [weir.Store]. Each charge is given back in its own slot,
// where a marker makes it once only.
func (s *Store) Refund(ctx context.Context, id weir.ID, charges []weir.Charge) (bool, error) {
	gave := false
	for i := range charges {
		c := &charges[i]
		if c.Cost <= 0 || c.Limit == nil {
			continue
		}
		call := s.refundCall(c, s.name(&c.Key), s.markerName(&c.Key, id, timesNamed(charges[:i], c.Key)))
		reply, err := s.eval.eval(ctx, refundScript, call)
		for tries := 1; isTryAgain(err) && tries < maxTries && sleep(ctx, tryAgainEvery); tries++ {
			reply, err = s.eval.eval(ctx, refundScript, call)
		}
		s.denied.forget(&c.Key) // after an error too: it may have happened
		if err != nil {
			return gave, fmt.Errorf("redisstore: refund: %w", err)
		}
		gave = gave || reply == "1"
	}
	return gave, nil
}

// A refund whose slot is moving to another node is tried again: its two keys must
// be in one place.
const (
	tryAgainEvery = 20 * time.Millisecond
	maxTries      = 250
)

// sleep is false when the context ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func timesNamed(charges []weir.Charge, key weir.Key) (n int) {
	for i := range charges {
		if charges[i].Key == key {
			n++
		}
	}
	return n
}

// refundCall gives back one charge. Without a marker among the keys it is not
// remembered.
func (s *Store) refundCall(c *weir.Charge, keys ...string) call {
	head := appendDouble(make([]byte, 0, 16), s.now())
	head = appendDouble(head, s.margin.Milliseconds())
	charge := make([]byte, 0, 40)
	for _, v := range [...]int64{c.Cost, c.At, c.Before.Whole, c.Before.Frac, s.markerLifetime(c)} {
		charge = appendDouble(charge, v)
	}
	return call{keys: keys, args: []string{string(head), c.Limit.Wire(), string(charge)}}
}

// markerLifetime is how long the charge could have an effect at most, in ms: a
// full drain, or two windows.
func (s *Store) markerLifetime(c *weir.Charge) int64 {
	l := c.Limit.Compiled()
	us := 2 * l.Period
	if c.Limit.Algorithm().HasBurst() {
		us = l.FullDrain()
	}
	return us/1000 + 1 + s.margin.Milliseconds()
}
