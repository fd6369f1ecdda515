package trail

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

const (
	keptTicks       = 300
	limitsPerTick   = 100 // the busiest
	refusalsPerTick = 50  // that are told live
	maxListeners    = 32
	listenerBehind  = 8 // ticks, before it is dropped
)

// Tick is what happened in one second.
type Tick struct {
	At                                                        time.Time
	Allowed, Refused, ShadowRefused, Denied, Errors, Degraded int64
	P50, P99                                                  time.Duration // of the store; 0 where it was not asked
	// Limits are the busiest, those that decided nothing left out of history.
	Limits []LimitTick
	// Refusals are the newest of this second, oldest first.
	Refusals []*Record
}

// LimitTick is one limit's part of a tick.
type LimitTick struct {
	Layer, Limit, Rate, Algorithm   string
	Shadow                          bool
	Allowed, Refused, ShadowRefused int64
	// Fullest is the largest share of its room, in thousandths, that a caller had
	// used: 1000 is all of it.
	Fullest int64
}

func (l *LimitTick) total() int64 { return l.Allowed + l.Refused + l.ShadowRefused }

// history keeps the last ticks and tells them to whoever listens.
type history struct {
	mu        sync.Mutex
	ticks     []*Tick
	listeners map[chan *Tick]bool
	closed    bool

	// Only Run knows these.
	seen   [6]int64
	number uint64 // of the last refusal that was told
}

// Run makes a tick each second until ctx ends, then ends all who listen.
func (t *Trail) Run(ctx context.Context) error {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			t.Tick(now)
		case <-ctx.Done():
			t.ticks.close()
			return nil
		}
	}
}

// Tick ends a second. It is for Run and for tests: never two at once.
func (t *Trail) Tick(now time.Time) {
	tick := t.newTick(now)
	t.refill()
	t.rotate(now)
	t.forget()
	t.ticks.tell(tick)
}

func (t *Trail) newTick(now time.Time) *Tick {
	s := &t.sums
	sums := [6]int64{s.allowed.Load(), s.refused.Load(), s.shadowRefused.Load(), s.denied.Load(), s.errors.Load(), s.degraded.Load()}
	was := t.ticks.seen
	t.ticks.seen = sums
	tick := &Tick{
		At: now, Allowed: sums[0] - was[0], Refused: sums[1] - was[1], ShadowRefused: sums[2] - was[2],
		Denied: sums[3] - was[3], Errors: sums[4] - was[4], Degraded: sums[5] - was[5],
	}
	tick.P50, tick.P99 = t.latency.read()
	tick.Limits = t.limits()
	tick.Refusals = t.refused.after(t.ticks.number, refusalsPerTick)
	if len(tick.Refusals) > 0 {
		t.ticks.number = tick.Refusals[0].number
	}
	slices.Reverse(tick.Refusals)
	return tick
}

func (t *Trail) limits() (all []LimitTick) {
	for name, m := range *t.meters.Load() {
		rule := m.rule.Load()
		one := LimitTick{Layer: name.layer, Limit: name.limit, Shadow: m.shadow.Load(), Fullest: m.fullest.Swap(0)}
		if rule != nil {
			one.Rate, one.Algorithm = rule.Rate().String(), rule.Algorithm().String()
		}
		one.Allowed, one.Refused, one.ShadowRefused = m.read()
		if m.idle++; one.total() > 0 {
			m.idle = 0
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b LimitTick) int { return cmp.Compare(b.total(), a.total()) })
	all = all[:min(len(all), limitsPerTick)]
	slices.SortFunc(all, func(a, b LimitTick) int {
		return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Limit, b.Limit))
	})
	return all
}

// tell keeps a tick without its refusals and idle limits.
func (h *history) tell(tick *Tick) {
	kept := *tick
	kept.Refusals = nil
	kept.Limits = nil
	for _, l := range tick.Limits {
		if l.total() > 0 {
			kept.Limits = append(kept.Limits, l)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ticks = append(h.ticks, &kept); len(h.ticks) > keptTicks {
		h.ticks = slices.Delete(h.ticks, 0, 1)
	}
	for to := range h.listeners {
		select {
		case to <- tick:
		default: // it is too slow
			delete(h.listeners, to)
			close(to)
		}
	}
}

func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for to := range h.listeners {
		close(to)
	}
	h.listeners = nil
}

// Listen gives the last ticks, oldest first, and a channel with those that come.
// It is closed when Run ends, and on who reads too slowly. ok is false when there
// are enough listeners, or Run has ended. stop must be called.
func (t *Trail) Listen() (past []*Tick, next <-chan *Tick, stop func(), ok bool) {
	h := &t.ticks
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.listeners) >= maxListeners {
		return nil, nil, nil, false
	}
	to := make(chan *Tick, listenerBehind)
	if h.listeners == nil {
		h.listeners = map[chan *Tick]bool{}
	}
	h.listeners[to] = true
	return slices.Clone(h.ticks), to, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.listeners, to)
	}, true
}
