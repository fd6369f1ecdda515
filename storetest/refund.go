package storetest

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func testRefund(t *testing.T, newStore NewStore) {
	for _, p := range []struct {
		name string
		test func(*trial, weir.Algorithm)
	}{
		{"undoes a take exactly", testRefundIsExact},
		{"once", testRefundOnce},
		{"after later takes", testRefundAfterTakes},
		{"after everything has left", testRefundTooLate},
		{"of a key that is unknown", testRefundOfUnknown},
		{"of a key that was reset", testRefundAfterReset},
		{"of all that a request took", testRefundOfRequest},
		{"never above the capacity", testRefundBelowCapacity},
	} {
		t.Run(p.name, func(t *testing.T) { eachAlgorithm(t, newStore, p.test) })
	}
	t.Run("window that has turned", func(t *testing.T) { testRefundOfLastWindow(newTrial(t, newStore)) })
	t.Run("counter that has turned", func(t *testing.T) { testRefundOfLastCounter(newTrial(t, newStore)) })
	t.Run("log entry", func(t *testing.T) { testRefundOfLogEntry(newTrial(t, newStore)) })
	t.Run("bucket that has leaked", func(t *testing.T) { testRefundOfLeaked(newTrial(t, newStore)) })
}

// takeForRefund takes n as a decision that can be given back.
func (tr *trial) takeForRefund(key weir.Key, limit *weir.Limit, n int64) weir.Decision {
	tr.Helper()
	d := tr.decide(weir.Check{Key: key, Limit: limit, Cost: n})
	if !d.Allowed {
		tr.Fatalf("set-up: %d refused: %+v", n, d.Results[0])
	}
	return d
}

// When nothing was taken since, a refund leaves the key as if the take had never
// been, at once and for all time to come.
func testRefundIsExact(tr *trial, a weir.Algorithm) {
	limit := limitOf(tr, weir.Per(10, 13*time.Second), weir.WithAlgorithm(a))
	key, control := identity("a"), identity("control")
	for i := range int64(20) {
		tr.pass(1_700_001 * time.Microsecond)
		tr.take(key, limit, 1+i%3)
		tr.take(control, limit, 1+i%3)
		n := tr.remaining(key, limit)
		if n == 0 {
			continue
		}
		d := tr.takeForRefund(key, limit, n)
		if !tr.refund(d) {
			tr.Fatalf("the refund of %d at once gave nothing", n)
		}
		got, want := tr.peek(key, limit, 10), tr.peek(control, limit, 10)
		if got.ID, want.ID = 0, 0; got != want {
			tr.Fatalf("after a take of %d and its refund\n got %+v\nwant %+v", n, got, want)
		}
	}
}

// A decision is given back once, whatever else happens to its key.
func testRefundOnce(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	tr.take(key, limit, 3)
	d := tr.takeForRefund(key, limit, 2)
	tr.take(key, limit, 3)
	if !tr.refund(d) {
		tr.Error("the first refund gave nothing")
	}
	tr.wants(key, limit, 4, "after the refund")
	for range 3 {
		if tr.refund(d) {
			tr.Error("a refund was given twice")
		}
		tr.wants(key, limit, 4, "after the refund again")
	}
	tr.take(key, limit, 2)
	tr.refund(d)
	tr.wants(key, limit, 2, "after another take and the refund again")
}

// A refund after later takes gives back its own cost at that instant, and leaves
// theirs.
func testRefundAfterTakes(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	d := tr.takeForRefund(key, limit, 4)
	tr.take(key, limit, 3)
	other := tr.takeForRefund(key, limit, 3)
	if !tr.refund(d) {
		tr.Error("the refund gave nothing")
	}
	tr.wants(key, limit, 4, "after the refund of the first of three")
	tr.refund(other)
	tr.wants(key, limit, 7, "after the refund of the last as well")
}

// What has left by itself is not given back once more.
func testRefundTooLate(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	d := tr.takeForRefund(key, limit, 10)
	tr.pass(d.Results[0].ResetAfter)
	if tr.refund(d) {
		tr.Error("a refund was given for what had left")
	}
	tr.wants(key, limit, 10, "after the refund")
	d = tr.takeForRefund(key, limit, 4)
	tr.pass(2 * time.Minute)
	tr.take(key, limit, 5)
	if tr.refund(d) {
		tr.Error("a refund was given for what had left, to a key used since")
	}
	tr.wants(key, limit, 5, "after the refund")
}

// A refund makes no key.
func testRefundOfUnknown(tr *trial, a weir.Algorithm) {
	limit := perMinute(tr, 10, a)
	charge := weir.Charge{Key: identity("never seen"), Limit: limit, Cost: 5, At: tr.now.Load()}
	if tr.giveBack(weir.NewID(), []weir.Charge{charge}) {
		tr.Error("a refund was given to a key never seen")
	}
	if tr.giveBack(weir.NewID(), nil) {
		tr.Error("a refund was given for no charge")
	}
	tr.holdsKeys(0, "after refunds of nothing")
	tr.wants(charge.Key, limit, 10, "after the refund")
}

// A key that was reset owes nothing any more.
func testRefundAfterReset(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	d := tr.takeForRefund(key, limit, 5)
	tr.reset(key)
	if tr.refund(d) {
		tr.Error("a refund was given to a key that was reset")
	}
	tr.holdsKeys(0, "after a reset and a refund")
	tr.wants(key, limit, 10, "after the refund")
}

// One refund gives back all that a decision charged, and nothing that it did
// not; a key that is gone does not keep the others from theirs.
func testRefundOfRequest(tr *trial, a weir.Algorithm) {
	limit := perMinute(tr, 10, a)
	x, y, z, gone := identity("x"), identity("y"), identity("z"), identity("gone")
	tr.take(z, limit, 9)
	d := tr.decide(
		weir.Check{Key: gone, Limit: limit, Cost: 1}, weir.Check{Key: x, Limit: limit, Cost: 2},
		weir.Check{Key: y, Limit: limit, Cost: 3}, weir.Check{Key: z, Limit: limit, Cost: 4},
	)
	if got := verdicts(d.Results); got != "CCCr" {
		tr.Fatalf("set-up: %s", got)
	}
	tr.reset(gone)
	if !tr.refund(d) {
		tr.Error("the refund gave nothing")
	}
	tr.wants(x, limit, 10, "of x")
	tr.wants(y, limit, 10, "of y")
	tr.wants(z, limit, 1, "of z, which refused,")
	if tr.refund(d) {
		tr.Error("a refund was given twice")
	}
}

// A refund under a limit that was lowered since, or of more than is held, makes
// no room beyond the capacity.
func testRefundBelowCapacity(tr *trial, a weir.Algorithm) {
	limit, key := perMinute(tr, 10, a), identity("a")
	d := tr.takeForRefund(key, limit, 8)
	lower := perMinute(tr, 5, a)
	tr.take(key, lower, 1)
	tr.refund(d)
	if left := tr.remaining(key, lower); left < 0 || left > 5 {
		tr.Errorf("%d of 5 remain after the refund of 8 taken under 10", left)
	}
	forged := weir.Charge{Key: key, Limit: lower, Cost: 1000, At: tr.now.Load()}
	tr.giveBack(weir.NewID(), []weir.Charge{forged})
	if left := tr.remaining(key, lower); left < 0 || left > 5 {
		tr.Errorf("%d of 5 remain after the refund of 1000", left)
	}
}
