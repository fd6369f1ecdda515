package trail

import (
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
)

const (
	maxLimits   = 1000 // that are counted each by itself
	maxSketched = 64   // of those, whose callers are remembered
	idleTicks   = 3600 // after which a limit is forgotten
)

type meterName struct{ layer, limit string }

// meter counts what one limit decided.
type meter struct {
	meterName
	rule   atomic.Pointer[weir.Limit] // as it was asked last
	shadow atomic.Bool                // as it was then

	allowed, refused, shadowRefused atomic.Int64
	// fullest is the largest share of its room, in thousandths, that a caller has
	// used since the last tick.
	fullest atomic.Int64

	callers *callers // nil where they are not remembered

	// Only the ticks know these.
	seen [3]int64
	idle int
}

// meter finds the limit's, or makes it; nil where there are too many.
func (t *Trail) meter(c *weir.Check) *meter {
	name := meterName{c.Key.Layer, c.Key.Limit}
	if name.layer == adHoc {
		// The rest is a period of the client's choice.
		name.limit, _, _ = strings.Cut(name.limit, "#")
	}
	m := (*t.meters.Load())[name]
	if m == nil {
		m = t.newMeter(name, c)
	}
	if m != nil && m.rule.Load() != c.Limit {
		m.rule.Store(c.Limit)
		m.shadow.Store(isShadow(c))
	}
	return m
}

// adHoc is the layer of checks that are made without the policy.
const adHoc = "adhoc"

func (t *Trail) newMeter(name meterName, c *weir.Check) *meter {
	if len(*t.meters.Load()) >= maxLimits {
		return nil
	}
	t.grow.Lock()
	defer t.grow.Unlock()
	all := *t.meters.Load()
	if m := all[name]; m != nil || len(all) >= maxLimits {
		return m
	}
	name = meterName{strings.Clone(name.layer), strings.Clone(name.limit)}
	m := &meter{meterName: name}
	if len(all) < maxSketched {
		m.callers = newCallers(c.Limit.Rate().Period)
	}
	more := maps.Clone(all)
	more[name] = m
	t.meters.Store(&more)
	return m
}

// use notes how full the caller's limit is.
func (m *meter) use(r *weir.Result) {
	if r.Limit <= 0 {
		return // blocked, or let pass without a decision
	}
	used := int64(1000)
	if r.Remaining > 0 {
		used = int64(float64(r.Limit-r.Remaining) / float64(r.Limit) * 1000)
	}
	for {
		was := m.fullest.Load()
		if used <= was || m.fullest.CompareAndSwap(was, used) {
			return
		}
	}
}

func (m *meter) asked(hash uint64, c *weir.Check, r *weir.Result) {
	if m.callers != nil {
		m.callers.asked(hash, c, r)
	}
}

// read gives what was counted since the last time.
func (m *meter) read() (allowed, refused, shadowRefused int64) {
	now := [3]int64{m.allowed.Load(), m.refused.Load(), m.shadowRefused.Load()}
	was := m.seen
	m.seen = now
	return now[0] - was[0], now[1] - was[1], now[2] - was[2]
}

// forget drops limits that nobody has asked for long: a reload may have removed
// them.
func (t *Trail) forget() {
	t.grow.Lock()
	defer t.grow.Unlock()
	kept := map[meterName]*meter{}
	for name, m := range *t.meters.Load() {
		if m.idle <= idleTicks {
			kept[name] = m
		}
	}
	if len(kept) < len(*t.meters.Load()) {
		t.meters.Store(&kept)
	}
}

// rotate begins a new generation of callers where it is time.
func (t *Trail) rotate(now time.Time) {
	for _, m := range *t.meters.Load() {
		if m.callers != nil {
			m.callers.rotate(now.UnixMicro())
		}
	}
}
