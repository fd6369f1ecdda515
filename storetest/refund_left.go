package storetest

import (
	"time"

	"github.com/weirhq/weir"
)

// What of a take still counts, and so can be given back, by algorithm.

// A fixed window gives back to the window that was charged: a take of the last
// window frees nothing in this one (B27).
func testRefundOfLastWindow(tr *trial) {
	limit, key := perMinute(tr, 5, weir.FixedWindow), identity("a")
	tr.at(59_900 * time.Millisecond)
	d := tr.takeForRefund(key, limit, 1)
	tr.at(60_100 * time.Millisecond)
	tr.takeForRefund(key, limit, 5)
	tr.at(60_200 * time.Millisecond)
	if tr.refund(d) {
		tr.Error("a refund was given for the last window")
	}
	tr.at(60_300 * time.Millisecond)
	if r := tr.take(key, limit, 1); r.Allowed {
		tr.Errorf("a sixth take passed: %+v", r)
	}
}

// A sliding counter gives back to the window before the current one, as it still
// weighs, and nothing to the one before that.
func testRefundOfLastCounter(tr *trial) {
	limit, key := perMinute(tr, 100, weir.SlidingCounter), identity("a")
	tr.at(30 * time.Second)
	d := tr.takeForRefund(key, limit, 50)
	late := tr.takeForRefund(key, limit, 20)
	tr.at(90 * time.Second)
	tr.takeForRefund(key, limit, 10)
	tr.wants(key, limit, 55, "with 70 in the last minute, weighing half, and 10 in this,")
	if !tr.refund(d) {
		tr.Error("the refund of what still weighs gave nothing")
	}
	tr.wants(key, limit, 80, "with 20 in the last minute and 10 in this")
	tr.at(120 * time.Second)
	if tr.refund(late) {
		tr.Error("a refund was given for the window before the last")
	}
	tr.wants(key, limit, 90, "with 10 in the last minute")
}

// A log gives back the entry itself: what is left leaves when it would have.
func testRefundOfLogEntry(tr *trial) {
	limit, key := perMinute(tr, 10, weir.SlidingLog), identity("a")
	tr.takeForRefund(key, limit, 3)
	tr.at(10 * time.Second)
	d := tr.takeForRefund(key, limit, 3)
	tr.at(20 * time.Second)
	tr.takeForRefund(key, limit, 4)
	if !tr.refund(d) {
		tr.Error("the refund of the second of three entries gave nothing")
	}
	if r := tr.peek(key, limit, 4); r.Allowed || r.Remaining != 3 || r.RetryAfter != 40*time.Second || r.ResetAfter != 60*time.Second {
		tr.Errorf("after it: %+v", r)
	}
}

// A bucket gives back only what of the take has not leaked away meanwhile.
func testRefundOfLeaked(tr *trial) {
	limit := perMinute(tr, 10, weir.GCRA) // leaks 1 in 6 s
	for _, c := range []struct {
		name          string
		before, taken int64
		wait          time.Duration
		left          int64
	}{
		{"some of the take has leaked", 0, 5, 12 * time.Second, 10},
		{"what was there before has leaked first", 3, 5, 12 * time.Second, 9},
		{"just what was there before", 3, 5, 18 * time.Second, 10},
		{"all has leaked", 0, 2, 12 * time.Second, 10},
	} {
		key := identity(c.name)
		tr.take(key, limit, c.before)
		d := tr.takeForRefund(key, limit, c.taken)
		tr.pass(c.wait)
		tr.refund(d)
		tr.wants(key, limit, c.left, c.name)
	}
	key := identity("with a later take")
	d := tr.takeForRefund(key, limit, 5)
	tr.pass(12 * time.Second)
	tr.takeForRefund(key, limit, 4) // 3 + 4
	if !tr.refund(d) {
		tr.Error("the refund gave nothing")
	}
	tr.wants(key, limit, 6, "after a later take of 4")
}
