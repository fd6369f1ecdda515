package storetest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// start is the first instant of a minute, an hour and a day.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// trial is a test with a store of its own and the instant at which that decides.
type trial struct {
	*testing.T
	store weir.Store
	now   *atomic.Int64 // µs since the Unix epoch
}

func newTrial(t *testing.T, newStore NewStore) *trial {
	t.Helper()
	tr := &trial{T: t, now: new(atomic.Int64)}
	tr.now.Store(start.UnixMicro())
	tr.store = newStore(t, tr.clock)
	return tr
}

// eachAlgorithm gives every algorithm a test with a store of its own.
func eachAlgorithm(t *testing.T, newStore NewStore, test func(*trial, weir.Algorithm)) {
	t.Helper()
	for _, a := range weir.Algorithms() {
		t.Run(a.String(), func(t *testing.T) { test(newTrial(t, newStore), a) })
	}
}

func (tr *trial) clock() time.Time { return time.UnixMicro(tr.now.Load()) }

// at sets the instant, as an offset from start.
func (tr *trial) at(offset time.Duration) { tr.now.Store(start.Add(offset).UnixMicro()) }

// pass moves the instant.
func (tr *trial) pass(d time.Duration) { tr.now.Add(d.Microseconds()) }

// decide takes the checks as one request.
func (tr *trial) decide(checks ...weir.Check) weir.Decision {
	tr.Helper()
	results := make([]weir.Result, len(checks))
	if err := tr.store.Take(context.Background(), checks, results); err != nil {
		tr.Fatal(err)
	}
	return weir.Decide(weir.NewID(), checks, results)
}

func (tr *trial) take(key weir.Key, limit *weir.Limit, n int64) weir.Result {
	tr.Helper()
	return tr.decide(weir.Check{Key: key, Limit: limit, Cost: n}).Results[0]
}

func (tr *trial) peek(key weir.Key, limit *weir.Limit, n int64) weir.Result {
	tr.Helper()
	return tr.decide(weir.Check{Key: key, Limit: limit, Cost: n, Peek: true}).Results[0]
}

// remaining is what is left of the key now.
func (tr *trial) remaining(key weir.Key, limit *weir.Limit) int64 {
	tr.Helper()
	return tr.peek(key, limit, 1).Remaining
}

func (tr *trial) refund(d weir.Decision) bool {
	tr.Helper()
	return tr.giveBack(d.ID, d.Charges())
}

func (tr *trial) giveBack(id weir.ID, charges []weir.Charge) bool {
	tr.Helper()
	gave, err := tr.store.Refund(context.Background(), id, charges)
	if err != nil {
		tr.Fatal(err)
	}
	return gave
}

func (tr *trial) reset(keys ...weir.Key) {
	tr.Helper()
	if err := tr.store.Reset(context.Background(), keys); err != nil {
		tr.Fatal(err)
	}
}

// holdsKeys checks the number of keys, if the store can tell.
func (tr *trial) holdsKeys(want int, after string) {
	tr.Helper()
	if counter, ok := tr.store.(interface{ Len() int }); ok && counter.Len() != want {
		tr.Errorf("%s the store holds %d keys, want %d", after, counter.Len(), want)
	}
}

// wants checks the remaining of a key.
func (tr *trial) wants(key weir.Key, limit *weir.Limit, remaining int64, after string) {
	tr.Helper()
	if got := tr.remaining(key, limit); got != remaining {
		tr.Errorf("%s %d of %s remain, want %d", after, got, limit, remaining)
	}
}

func identity(name string) weir.Key { return weir.Key{Layer: "layer", Limit: "limit", Identity: name} }

// perMinute is a limit whose capacity is count.
func perMinute(t testing.TB, count int64, a weir.Algorithm) *weir.Limit {
	t.Helper()
	return limitOf(t, weir.PerMinute(count), weir.WithAlgorithm(a))
}

func limitOf(t testing.TB, rate weir.Rate, options ...weir.LimitOption) *weir.Limit {
	t.Helper()
	limit, err := weir.NewLimit(rate, options...)
	if err != nil {
		t.Fatal(err)
	}
	return limit
}
