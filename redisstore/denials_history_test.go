package redisstore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// histories are random ones of two processes on one server, which ask together and
// refuse from memory, beside a store that does neither. Both admit the same. Only
// where another process has given back, reset or changed a limit within the last
// second may a request be refused that would pass.
type histories struct {
	*pair
	processes [2]*redisstore.Store
	limit     map[weir.Key]*weir.Limit
	loosened  map[weir.Key][2]int64 // when for the other process, µs
	excused   int
}

const remembered = time.Second

func TestHistoriesOfTwoProcesses(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		server, clock := sharedServer(t), newClock()
		h := &histories{pair: &pair{T: t, clock: clock, r: randomness(t), limits: limitPool(t)}, limit: map[weir.Key]*weir.Limit{}, loosened: map[weir.Key][2]int64{}}
		h.memory = plain(t, server, clock)
		for i := range h.processes {
			h.processes[i] = open(t, urlOf(server), append(clock.options(), redisstore.WithDenyCache(remembered))...)
		}
		for range rounds(1500) {
			h.step(a)
		}
		hits := h.processes[0].DenyCacheHits() + h.processes[1].DenyCacheHits()
		t.Logf("%d checks: %d charged, %d refused, %d of them from memory, %d that would have passed; %d refunds gave something", h.checks, h.charged, h.refused, hits, h.excused, h.refunded)
		if h.charged < h.checks/10 || hits < int64(h.checks/30) || h.refunded < 5 {
			t.Error("too few of one kind")
		}
	})
}

func (h *histories) step(a weir.Algorithm) {
	h.Helper()
	who, k := h.r.IntN(2), key(string(rune('a'+h.r.IntN(3))))
	if h.r.IntN(3) == 0 {
		h.clock.pass(time.Duration(h.r.IntN(400)) * time.Millisecond)
	}
	switch n := h.r.IntN(40); {
	case n == 0:
		h.reset(who, k)
	case n == 1 || h.limit[k] == nil:
		h.changeLimit(a, k)
	case n < 6 && len(h.past) > 0:
		h.refund(who)
	case n < 9:
		h.together(who, weir.Check{Key: k, Limit: h.limit[k], Cost: 1 + h.r.Int64N(2)})
	default:
		h.take(who, weir.Check{Key: k, Limit: h.limit[k], Cost: 1 + h.r.Int64N(1+h.r.Int64N(4))})
	}
}

func (h *histories) take(who int, c weir.Check) {
	h.Helper()
	h.compare(who, c, decide(h, h.processes[who], c)[0])
}

// together is several takes by one process at once.
func (h *histories) together(who int, c weir.Check) {
	h.Helper()
	results, err := redisstore.Together(h.processes[who], []weir.Check{c}, 2+h.r.IntN(4))
	if err != nil {
		h.Fatal(err)
	}
	for _, r := range results {
		h.compare(who, c, r)
	}
}

func (h *histories) compare(who int, c weir.Check, got weir.Result) {
	h.Helper()
	if want := peek(h, h.memory, c.Key, c.Limit, c.Cost); want.Allowed && !got.Allowed {
		if h.clock.now.Load()-h.loosened[c.Key][who] > remembered.Microseconds() {
			h.Fatalf("process %d, %d of %s: %+v, want %+v", who, c.Cost, c.Limit, got, want)
		}
		h.excused++
		return
	}
	want := take(h, h.memory, c.Key, c.Limit, c.Cost)
	if got.Allowed != want.Allowed || got.Charged != want.Charged {
		h.Fatalf("process %d, %d of %s: %+v, want %+v", who, c.Cost, c.Limit, got, want)
	}
	d := weir.Decide(weir.NewID(), []weir.Check{c}, []weir.Result{want})
	h.count(d)
	if want.Charged {
		h.past = append(h.past, d)
	}
}

// loosen notes that a process has made room.
func (h *histories) loosen(who int, k weir.Key) {
	at := h.loosened[k]
	at[1-who] = h.clock.now.Load()
	h.loosened[k] = at
}

func (h *histories) reset(who int, k weir.Key) {
	h.Helper()
	h.pair.forget(k, h.processes[who])
	h.loosen(who, k)
}

func (h *histories) refund(who int) {
	h.Helper()
	h.redis = h.processes[who]
	h.loosen(who, h.pair.refund().Checks[0].Key)
}

// changeLimit raises or lowers it, for both processes at once.
func (h *histories) changeLimit(a weir.Algorithm, k weir.Key) {
	for {
		limits := h.limits[a]
		h.limit[k] = limits[h.r.IntN(len(limits))]
		if rate := h.limit[k].Rate(); rate.Count < 100 && rate.Period >= time.Second {
			break
		}
	}
	h.loosen(0, k)
	h.loosen(1, k)
}

// Requests of several layers, asked again and again by the one process there is,
// are answered alike in every field, by memory that remembers no refusal and by a
// store that does: groups of every kind, costs, peeks, refunds and resets.
func TestLayersAreRefusedAlike(t *testing.T) {
	clock := newClock()
	p := &pair{T: t, clock: clock, shape: shape{twice: true}, r: randomness(t), limits: limitPool(t)}
	memory := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock.read})
	t.Cleanup(func() { memory.Close() })
	p.memory = memory
	p.redis = open(t, urlOf(sharedServer(t)), append(clock.options(), redisstore.WithDenyCache(time.Hour))...)
	several, asked := 0, 0
	for range rounds(2000) {
		p.step()
		if p.r.IntN(20) == 0 {
			p.startAnew(p.check(p.r.IntN(3)).Key)
		}
		again := p.request()
		if p.r.IntN(4) > 0 {
			enforced(again)
		}
		for range 1 + p.r.IntN(5) {
			clock.pass(time.Duration(p.r.IntN(200_000)) * time.Microsecond)
			before := p.redis.DenyCacheHits()
			if p.r.IntN(6) == 0 {
				p.take(independent(again))
				continue
			}
			p.take(again)
			if asked++; len(again) > 1 && p.redis.DenyCacheHits() > before {
				several++
			}
		}
	}
	t.Logf("of %d requests %d were refused from memory, of several checks %d", asked, p.redis.DenyCacheHits(), several)
	if several < asked/50 || p.charged < p.checks/10 || p.refused < p.checks/10 || p.refunded < asked/100 {
		t.Error("too few of one kind")
	}
}

// startAnew resets a key. What it was charged before is not refunded after that: only
// memory knows that this was before.
func (p *pair) startAnew(k weir.Key) {
	p.Helper()
	p.forget(k, p.redis)
	p.past = slices.DeleteFunc(p.past, func(d weir.Decision) bool {
		return slices.ContainsFunc(d.Checks, func(c weir.Check) bool { return c.Key == k })
	})
}

// independent is the same request by other rules, which charges what passes.
func independent(checks []weir.Check) []weir.Check {
	checks = slices.Clone(checks)
	for i := range checks {
		checks[i].Group = &weir.Group{Charge: weir.Independent}
	}
	return checks
}

// enforced makes a request that may be refused from memory.
func enforced(checks []weir.Check) {
	for i := range checks {
		c := &checks[i]
		c.Cost, c.Peek, c.Group.Shadow = max(1, c.Cost), false, false
	}
}
