package storetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// On any history of one key a store answers, field by field, what the pure
// functions of internal/algorithm answer: takes, peeks and refunds of random
// costs at random instants.
func testReference(t *testing.T, newStore NewStore) {
	eachAlgorithm(t, newStore, func(tr *trial, a weir.Algorithm) {
		r := randomness(tr)
		for round := range rounds(30) {
			h := &history{
				trial: tr, key: weir.Key{Layer: "history", Identity: string(rune('A' + round))},
				limit: randomLimit(tr, r, a),
			}
			tr.pass(time.Duration(r.Int64N(int64(24 * time.Hour))))
			for range 60 {
				h.step(r)
			}
			if tr.Failed() {
				tr.Fatalf("the limit was %s", h.limit)
			}
		}
	})
}

// history is a key in the store beside the same key as plain state.
type history struct {
	*trial
	key   weir.Key
	limit *weir.Limit

	state algorithm.State
	log   algorithm.Log

	receipts []receipt
}

type receipt struct {
	decision weir.Decision
	charge   algorithm.Charge
}

func randomLimit(tr *trial, r *rand.Rand, a weir.Algorithm) *weir.Limit {
	rates := []weir.Rate{
		weir.PerMinute(10), weir.PerSecond(3), weir.Per(7, 13*time.Second), weir.PerHour(1), weir.PerSecond(6000),
		weir.Per(5, 10*time.Millisecond), weir.PerDay(999_983), weir.PerHour(1 << 32), weir.Per(20, 407*24*time.Hour),
	}
	options := []weir.LimitOption{weir.WithAlgorithm(a)}
	if a.HasBurst() && r.IntN(2) == 0 {
		options = append(options, weir.WithBurst(1+r.Int64N(20)))
	}
	if a == weir.FixedWindow && r.IntN(4) == 0 {
		options = append(options, weir.WithCountAll())
	}
	return limitOf(tr, rates[r.IntN(len(rates))], options...)
}

func (h *history) step(r *rand.Rand) {
	period := h.limit.Rate().Period
	switch r.IntN(10) {
	case 0:
		h.pass(2*period + time.Duration(r.Int64N(int64(period))))
	case 1, 2:
		h.pass(period / time.Duration(1+r.Int64N(12)))
	case 3, 4, 5:
		h.pass(min(period, time.Duration(r.Int64N(int64(2*period)/max(1, h.limit.Rate().Count)+1000))))
	}
	n := r.Int64N(min(h.limit.Capacity(), 12) + 2)
	if r.IntN(20) == 0 {
		n = r.Int64N(h.limit.Capacity() + 2)
	}
	switch r.IntN(10) {
	case 0, 1:
		h.compare(weir.Check{Key: h.key, Limit: h.limit, Cost: n, Peek: true})
	case 2:
		h.refundOne(r)
	default:
		h.compare(weir.Check{Key: h.key, Limit: h.limit, Cost: n})
	}
}

// compare asks both.
func (h *history) compare(c weir.Check) {
	h.Helper()
	d := h.decide(c)
	got := d.Results[0]
	got.ID = 0
	want, charge := h.reference(c)
	if got != want {
		h.Errorf("%s take %d (peek %t)\n got %+v\nwant %+v", h.clock(), c.Cost, c.Peek, got, want)
	}
	if got.Charged {
		h.receipts = append(h.receipts, receipt{d, charge})
	}
}

func (h *history) reference(c weir.Check) (weir.Result, algorithm.Charge) {
	l, now, n := h.limit.Compiled(), h.now.Load(), c.Cost
	if c.Peek {
		o := h.read(n)
		return weir.NewResult(h.limit, n, n == 0 || o.Wait == 0, false, o, now), algorithm.Charge{}
	}
	var admitted bool
	if l.Kind == algorithm.SlidingLog {
		admitted = h.log.Take(l, now, n)
	} else {
		h.state, admitted = l.Take(h.state, now, n)
	}
	result := weir.NewResult(h.limit, n, admitted, admitted && n > 0, h.read(n), now)
	if !result.Charged {
		return result, algorithm.Charge{}
	}
	charge := l.Charged(h.state, now, n)
	result.Before = weir.Level{Whole: charge.Whole, Frac: charge.Frac}
	return result, charge
}

func (h *history) read(n int64) algorithm.Outcome {
	if h.limit.Algorithm() == weir.SlidingLog {
		return h.log.Read(h.limit.Compiled(), h.now.Load(), n)
	}
	return h.limit.Compiled().Read(h.state, h.now.Load(), n)
}

// refundOne gives back a take at random in both and compares what is left.
// Whether a store still knows that a take of long ago counts no more is its own
// affair, so its word is not compared here.
func (h *history) refundOne(r *rand.Rand) {
	h.Helper()
	if len(h.receipts) == 0 {
		return
	}
	i := r.IntN(len(h.receipts))
	taken := h.receipts[i]
	h.receipts = append(h.receipts[:i], h.receipts[i+1:]...)
	h.refund(taken.decision)
	if h.limit.Algorithm() == weir.SlidingLog {
		h.log.Refund(taken.charge)
	} else {
		h.state, _ = h.limit.Compiled().Refund(h.state, h.now.Load(), taken.charge)
	}
	h.compare(weir.Check{Key: h.key, Limit: h.limit, Cost: 1, Peek: true})
}
