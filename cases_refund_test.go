package weir_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// Taking back what should not have counted ("only failures count") takes it from
// whatever is current: another request, the next window.
func TestB27RefundOfTheLastWindow(t *testing.T) {
	c := newCaller(t, weir.PerMinute(5), with(weir.FixedWindow))
	a := c.at(59_900 * time.Millisecond).admits(1)
	if got := c.at(60_100 * time.Millisecond).passes(5); got != 5 {
		t.Fatalf("set-up: %d pass", got)
	}
	if c.at(60_200*time.Millisecond).refund(1, a) {
		t.Error("a take of the last window was given back")
	}
	c.at(60_300*time.Millisecond).refuses(1, 59_700*time.Millisecond)
}

// The same in the algorithms that slide: what is given back is the call's own
// part, as much as still counts.
func TestB27RefundOfItsOwn(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(5), with(a))
		first := c.at(59_900 * time.Millisecond).admits(1)
		c.at(60_100 * time.Millisecond)
		before := c.peek(1).Remaining
		for range before {
			c.admits(1)
		}
		c.at(60_200*time.Millisecond).refund(1, first)
		if got, most := c.passes(5), 5-int(before); got > most {
			t.Errorf("%d more pass after one was given back, at most %d was held", got, most)
		}
	})
}

// Giving back twice gives once, and nothing ever rises above the capacity.
func TestB27RefundOnce(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		c := newCaller(t, weir.PerMinute(5), with(a))
		r := c.admits(2)
		c.admits(2)
		if !c.refund(2, r) || c.refund(2, r) || c.refund(2, r) {
			t.Error("it was not given back once")
		}
		c.remains(3)
		refused := c.take(4)
		if refused.Allowed || c.refund(4, refused) {
			t.Errorf("a refused call was given back: %+v", refused)
		}
		peeked := c.peek(1)
		if c.refund(1, peeked) || c.refund(0, r) || c.refund(-1, r) {
			t.Error("a peek or a cost below 1 was given back")
		}
		c.remains(3)
		late := c.admits(3)
		if c.at(time.Hour).refund(3, late) {
			t.Error("it was given back an hour later")
		}
		c.remains(5)
	})
}
