package algorithm_test

import (
	"math/big"

	"github.com/weirhq/weir/internal/algorithm"
)

// The rate and level of the two buckets.

func rateOf(l *algorithm.Limit) *big.Rat { return big.NewRat(l.Count, l.Period) }

func whole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

func least(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func most(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// roundedTo is r as a multiple of 1/den, rounded up or down.
func roundedTo(r *big.Rat, den *big.Int, up bool) *big.Rat {
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(den))
	var n *big.Int
	if up {
		n = floor(scaled.Neg(scaled))
		n.Neg(n)
	} else {
		n = floor(scaled)
	}
	return new(big.Rat).SetFrac(n, den)
}

// givenBack is what is left at now of a charge: its cost less what has leaked
// beyond the level before it. Where the rate changed since, the faster of the
// two may have been at work all along.
func givenBack(l *algorithm.Limit, stateRate *big.Rat, now int64, c modelCharge) *big.Rat {
	leaked := new(big.Rat).Mul(most(rateOf(l), stateRate), whole(max(0, now-c.at)))
	left := new(big.Rat).Add(c.before, whole(c.cost))
	left = most(left.Sub(left, leaked), new(big.Rat))
	return least(whole(c.cost), roundedTo(left, stateRate.Denom(), false))
}

// Token bucket: tokens of a capacity, refilled at a rate.

type tokenModel struct {
	tokens *big.Rat
	of     int64    // capacity that tokens are of
	last   int64    // the instant of tokens
	rate   *big.Rat // nil for a key never seen
}

func (m tokenModel) at(l *algorithm.Limit, now int64) (there, refused model) {
	full := tokenModel{whole(l.Burst), l.Burst, now, rateOf(l)}
	if m.rate == nil {
		return full, nil
	}
	changed := m.rate.Cmp(rateOf(l)) != 0
	if changed && m.refilled(now) {
		return full, nil
	}
	used := new(big.Rat).Sub(whole(m.of), m.tokens)
	if changed {
		used = roundedTo(used, rateOf(l).Denom(), true)
	}
	used = least(used, whole(l.Burst))
	stays := tokenModel{new(big.Rat).Sub(whole(l.Burst), used), l.Burst, m.last, rateOf(l)}
	flow := new(big.Rat).Mul(rateOf(l), whole(now-m.last)) // negative: the debt grows by the step
	if flow.Cmp(whole(-l.Burst)) < 0 {
		empty := tokenModel{new(big.Rat), l.Burst, now, rateOf(l)}
		return empty, empty
	}
	there = tokenModel{least(flow.Add(flow, stays.tokens), whole(l.Burst)), l.Burst, now, rateOf(l)}
	if now < m.last {
		return there, onlyIf(changed, stays)
	}
	return there, onlyIf(changed, there)
}

// refilled says that the bucket is full again under its own rate.
func (m tokenModel) refilled(now int64) bool {
	flow := new(big.Rat).Mul(m.rate, whole(now-m.last))
	return flow.Add(flow, m.tokens).Cmp(whole(m.of)) >= 0
}

func (m tokenModel) fits(_ *algorithm.Limit, _, n int64) bool { return m.tokens.Cmp(whole(n)) >= 0 }

func (m tokenModel) add(_ *algorithm.Limit, now, n int64) (model, modelCharge) {
	before := new(big.Rat).Sub(whole(m.of), m.tokens)
	m.tokens = new(big.Rat).Sub(m.tokens, whole(n))
	return m, modelCharge{now, n, before}
}

func (m tokenModel) idle(*algorithm.Limit, int64) bool { return m.tokens.Cmp(whole(m.of)) == 0 }

func (m tokenModel) refund(l *algorithm.Limit, now int64, c modelCharge) (model, bool) {
	if m.rate == nil {
		return m, false
	}
	now = max(now, m.last)
	back := givenBack(l, m.rate, now, c)
	if back.Sign() == 0 || m.refilled(now) {
		return m, false
	}
	return tokenModel{least(back.Add(back, m.tokens), whole(m.of)), m.of, m.last, m.rate}, true
}

// GCRA: the theoretical arrival time.

type arrivalModel struct {
	tat      *big.Rat // µs, not before last
	last     int64
	interval *big.Rat // T, µs; nil for a key never seen
}

func intervalOf(l *algorithm.Limit) *big.Rat { return big.NewRat(l.Period, l.Count) }

// latest is the latest TAT that a capacity allows at an instant.
func latest(l *algorithm.Limit, t int64) *big.Rat {
	return new(big.Rat).Add(whole(t), new(big.Rat).Mul(whole(l.Burst), intervalOf(l)))
}

func (m arrivalModel) at(l *algorithm.Limit, now int64) (there, refused model) {
	if m.interval == nil {
		return arrivalModel{whole(now), now, intervalOf(l)}, nil
	}
	tat, changed := m.tat, m.interval.Cmp(intervalOf(l)) != 0
	if changed {
		if tat.Cmp(whole(now)) <= 0 {
			return arrivalModel{whole(now), now, intervalOf(l)}, nil
		}
		debt := roundedTo(m.level(), rateOf(l).Denom(), true)
		tat = new(big.Rat).Add(whole(m.last), debt.Mul(debt, intervalOf(l)))
	}
	if latest(l, now).Cmp(whole(m.last)) < 0 { // more than a full drain ahead
		full := arrivalModel{latest(l, now), now, intervalOf(l)}
		return full, full
	}
	tat = least(tat, latest(l, m.last))
	there = arrivalModel{most(tat, whole(now)), now, intervalOf(l)}
	if now < m.last {
		return there, onlyIf(changed, arrivalModel{tat, m.last, intervalOf(l)})
	}
	return there, onlyIf(changed, there)
}

// level is the debt at last, in requests.
func (m arrivalModel) level() *big.Rat {
	debt := new(big.Rat).Sub(m.tat, whole(m.last))
	return debt.Quo(debt, m.interval)
}

func (m arrivalModel) fits(l *algorithm.Limit, now, n int64) bool {
	next := new(big.Rat).Mul(whole(n), m.interval)
	return next.Add(next, most(m.tat, whole(now))).Cmp(latest(l, now)) <= 0
}

func (m arrivalModel) add(_ *algorithm.Limit, now, n int64) (model, modelCharge) {
	step := new(big.Rat).Mul(whole(n), m.interval)
	return arrivalModel{step.Add(step, m.tat), m.last, m.interval}, modelCharge{now, n, m.level()}
}

func (m arrivalModel) idle(_ *algorithm.Limit, now int64) bool { return m.tat.Cmp(whole(now)) <= 0 }

func (m arrivalModel) refund(l *algorithm.Limit, now int64, c modelCharge) (model, bool) {
	if m.interval == nil {
		return m, false
	}
	now = max(now, m.last)
	back := givenBack(l, new(big.Rat).Inv(m.interval), now, c)
	if back.Sign() == 0 || m.tat.Cmp(whole(now)) <= 0 {
		return m, false
	}
	tat := new(big.Rat).Sub(m.tat, back.Mul(back, m.interval))
	return arrivalModel{most(tat, whole(m.last)), m.last, m.interval}, true
}
