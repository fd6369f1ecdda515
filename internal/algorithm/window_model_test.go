package algorithm_test

import (
	"math/big"

	"github.com/weirhq/weir/internal/algorithm"
)

// Fixed window: what was counted, and when it was last written.

type windowModel struct {
	counted []int64 // costs
	written int64   // an instant in the window they count in
	period  int64   // its length; 0 for a key never seen
}

func onlyIf(rewritten bool, m model) model {
	if rewritten {
		return m
	}
	return nil
}

func windowOf(t, period int64) int64 { return t / period * period }

func (m windowModel) at(l *algorithm.Limit, now int64) (there, refused model) {
	fresh := windowModel{written: now, period: l.Period}
	if m.period == 0 {
		return fresh, nil
	}
	start := windowOf(m.written, m.period)
	over := now >= start+m.period
	if over || start < windowOf(now, l.Period) {
		return fresh, nil
	}
	there = windowModel{m.counted, now, l.Period}
	return there, onlyIf(start > windowOf(now, l.Period) || m.period != l.Period, there)
}

func (m windowModel) fits(l *algorithm.Limit, _, n int64) bool {
	sum := new(big.Int).SetInt64(n)
	for _, cost := range m.counted {
		sum.Add(sum, big.NewInt(cost))
	}
	return sum.Cmp(big.NewInt(l.Count)) <= 0
}

// add counts no further than 2^53, which only refused calls can reach.
func (m windowModel) add(_ *algorithm.Limit, now, n int64) (model, modelCharge) {
	counts := min(n, algorithm.MaxWindowCount-total(m.counted))
	counted := append(m.counted[:len(m.counted):len(m.counted)], counts)
	return windowModel{counted, now, m.period}, modelCharge{at: now, cost: n}
}

func (m windowModel) idle(*algorithm.Limit, int64) bool { return len(m.counted) == 0 }

func (m windowModel) refund(l *algorithm.Limit, now int64, c modelCharge) (model, bool) {
	window := windowOf(c.at, l.Period)
	if m.period != l.Period || windowOf(m.written, m.period) != window || now >= window+l.Period {
		return m, false
	}
	counted, gave := without(m.counted, c.cost)
	return windowModel{counted, m.written, m.period}, gave
}

// without takes an amount off a list of costs, as far as there is any.
func without(costs []int64, amount int64) ([]int64, bool) {
	var rest []int64
	gave := false
	for _, cost := range costs {
		off := min(cost, amount)
		amount -= off
		gave = gave || off > 0
		if cost > off {
			rest = append(rest, cost-off)
		}
	}
	return rest, gave
}

// Sliding log: what was admitted and when.

type logModel struct {
	entries []modelCharge
	period  int64 // that the last take was made under
}

func (m logModel) at(l *algorithm.Limit, now int64) (there, refused model) {
	if n := len(m.entries); n == 0 || now >= m.entries[n-1].at+m.period {
		return logModel{period: l.Period}, nil
	}
	moved := m.period != l.Period
	entries := make([]modelCharge, len(m.entries))
	for i, e := range m.entries {
		moved = moved || e.at > now
		entries[i] = modelCharge{at: min(e.at, now), cost: e.cost}
	}
	there = logModel{entries, l.Period}
	return there, onlyIf(moved, there)
}

func (m logModel) sum(l *algorithm.Limit, now int64) (sum int64) {
	for _, e := range m.entries {
		if now-l.Period < e.at && e.at <= now {
			sum += e.cost
		}
	}
	return sum
}

func (m logModel) fits(l *algorithm.Limit, now, n int64) bool { return m.sum(l, now)+n <= l.Count }

// add drops what has left: under a longer period it must not come back.
func (m logModel) add(l *algorithm.Limit, now, n int64) (model, modelCharge) {
	var entries []modelCharge
	for _, e := range m.entries {
		if e.at > now-l.Period {
			entries = append(entries, e)
		}
	}
	c := modelCharge{at: now, cost: n}
	return logModel{append(entries, c), m.period}, c
}

func (m logModel) idle(l *algorithm.Limit, now int64) bool { return m.sum(l, now) == 0 }

func (m logModel) refund(_ *algorithm.Limit, _ int64, c modelCharge) (model, bool) {
	for i := len(m.entries) - 1; i >= 0; i-- {
		if e := m.entries[i]; e.at == c.at && e.cost == c.cost {
			entries := append(m.entries[:i:i], m.entries[i+1:]...)
			return logModel{entries, m.period}, true
		}
	}
	return m, false
}

// Sliding counter: what was admitted in the current window and the one before.

type counterModel struct {
	before, current []int64 // costs
	written         int64   // an instant in the current window
	period          int64   // 0 for a key never seen
}

func (m counterModel) at(l *algorithm.Limit, now int64) (there, refused model) {
	if m.period == 0 {
		return counterModel{written: now, period: l.Period}, nil
	}
	if m.period == l.Period {
		there := m.turned(now)
		return there, onlyIf(windowOf(now, m.period) < windowOf(m.written, m.period), there)
	}
	handed := counterModel{written: now, period: l.Period}
	then := now
	if windowOf(m.written, m.period) > now {
		then = windowOf(now, m.period) // stepped back as well: nothing has decayed yet
	}
	e := m.turned(now).estimate(then)
	used := new(big.Int).Neg(floor(e.Neg(e)))
	if used.Sign() == 0 {
		return handed, nil
	}
	if most := big.NewInt(algorithm.MaxCounterCount); used.Cmp(most) > 0 {
		used = most
	}
	handed.current = []int64{used.Int64()}
	return handed, handed
}

// turned has the window that holds now as the current one. A later one becomes
// it with its counts.
func (m counterModel) turned(now int64) counterModel {
	start, is := windowOf(now, m.period), windowOf(m.written, m.period)
	switch {
	case is >= start:
		return counterModel{m.before, m.current, now, m.period}
	case is+m.period == start:
		return counterModel{m.current, nil, now, m.period}
	default:
		return counterModel{nil, nil, now, m.period}
	}
}

// estimate is prev·(1−e) + cur.
func (m counterModel) estimate(now int64) *big.Rat {
	e := big.NewRat(now-windowOf(now, m.period), m.period)
	weight := new(big.Rat).Sub(big.NewRat(1, 1), e)
	prev := new(big.Rat).SetInt64(total(m.before))
	return prev.Add(prev.Mul(prev, weight), new(big.Rat).SetInt64(total(m.current)))
}

func total(costs []int64) (sum int64) {
	for _, cost := range costs {
		sum += cost
	}
	return sum
}

func (m counterModel) fits(l *algorithm.Limit, now, n int64) bool {
	e := m.estimate(now)
	return e.Add(e, new(big.Rat).SetInt64(n)).Cmp(new(big.Rat).SetInt64(l.Count)) <= 0
}

func (m counterModel) add(_ *algorithm.Limit, now, n int64) (model, modelCharge) {
	current := append(m.current[:len(m.current):len(m.current)], n)
	return counterModel{m.before, current, now, m.period}, modelCharge{at: now, cost: n}
}

func (m counterModel) idle(*algorithm.Limit, int64) bool {
	return total(m.before) == 0 && total(m.current) == 0
}

func (m counterModel) refund(l *algorithm.Limit, now int64, c modelCharge) (model, bool) {
	window := windowOf(c.at, l.Period)
	if m.period != l.Period || now >= window+2*l.Period {
		return m, false
	}
	gave := false
	switch windowOf(m.written, m.period) {
	case window:
		m.current, gave = without(m.current, c.cost)
	case window + m.period:
		m.before, gave = without(m.before, c.cost)
	}
	return m, gave
}

func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}
