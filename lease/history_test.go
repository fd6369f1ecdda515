package lease_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/lease"
)

// passed is a request that was admitted: when, and at which instant it was charged.
type passed struct {
	at, charged, cost int64 // µs, requests
}

// Random histories of three nodes that come, are closed and die, of callers of
// several costs, refunds aside. Of all that was admitted:
//
//   - the charges alone are what the limit admits, one after the other;
//   - none was charged more than a lease's lifetime before it passed;
//   - within a period no more passed than the limit and a lease for each node.
//
// A refusal may be early by what the other nodes hold, no more.
func TestHistories(t *testing.T) {
	eachLeased(t, func(t *testing.T, a weir.Algorithm) {
		for seed := range uint64(6) {
			h := &history{fleet: newFleet(t, 3), r: rand.New(rand.NewPCG(seed, 0))}
			h.limit = limitOf(t, weir.PerSecond(1000), weir.WithAlgorithm(a), weir.WithLease(5))
			h.run(1200)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
}

type history struct {
	*fleet
	r       *rand.Rand
	limit   *weir.Limit
	log     []passed
	refused int
}

func (h *history) run(steps int) {
	h.Helper()
	local := int64(0)
	for step := range steps {
		i := h.r.IntN(len(h.nodes))
		switch n := h.nodes[i]; h.r.IntN(300) {
		case 0: // it dies
			local += n.Stats().Local
			h.nodes[i] = h.newNode()
		case 1:
			local += n.Stats().Local
			n.Close()
			h.nodes[i] = h.newNode()
		case 2, 3, 4, 5, 6, 7, 8, 9:
			lease.Sweep(n.Store)
		default:
			h.burst(n)
			pace := 500 << (step / 100 % 6) // µs: from ten times the limit to a third of it
			h.clock.pass(time.Duration(h.r.IntN(pace)) * time.Microsecond)
		}
	}
	for _, n := range h.nodes {
		local += n.Stats().Local
	}
	h.check()
	if h.Logf("%d passed, %d of them from leases, %d refused", len(h.log), local, h.refused); local < int64(len(h.log)/5) || h.refused < 50 {
		h.Error("set-up: too few of one kind")
	}
}

// burst is what one node asks at one instant.
func (h *history) burst(n *node) {
	h.Helper()
	for range 1 + h.r.IntN(4) {
		cost := 1 + h.r.Int64N(2)
		if r := take(h, n, key("a"), h.limit, cost); r.Allowed {
			h.log = append(h.log, passed{h.clock.us.Load(), r.At, cost})
		} else {
			h.refused++
		}
	}
}

func (h *history) check() {
	h.Helper()
	const lifetime = 100_000
	for _, p := range h.log {
		if late := p.at - p.charged; late < 0 || late >= lifetime {
			h.Errorf("passed %d µs after it was charged", late)
		}
	}
	slack := int64(len(h.nodes)) * h.limit.Lease()
	if most, atMost := mostWithin(h.log, h.window()), h.admits()+slack; most > atMost {
		h.Errorf("%d passed within a period, want at most %d", most, atMost)
	}
	h.replay(slices.SortedStableFunc(slices.Values(h.log), func(a, b passed) int { return cmp.Compare(a.charged, b.charged) }))
}

// replay takes at the instants of the charges, on a store that knows no leases.
func (h *history) replay(log []passed) {
	h.Helper()
	var at time.Time
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return at }})
	defer store.Close()
	for i, p := range log {
		at = time.UnixMicro(p.charged)
		if r := take(h, store, key("a"), h.limit, p.cost); !r.Allowed {
			h.Fatalf("charge %d is beyond the limit: %+v", i, r)
		}
	}
}

// admits is the most that the limit alone lets pass within any period, or within
// one of its windows.
func (h *history) admits() int64 {
	switch count := h.limit.Rate().Count; h.limit.Algorithm() {
	case weir.FixedWindow:
		return count
	default:
		return 2 * count // a burst and what drains; the sliding counter's estimate
	}
}

// window maps an instant to the first of those that are counted together with it.
func (h *history) window() func(at int64) int64 {
	period := h.limit.Rate().Period.Microseconds()
	if h.limit.Algorithm() == weir.FixedWindow {
		return func(at int64) int64 { return at / period * period }
	}
	return func(at int64) int64 { return at - period + 1 }
}

func mostWithin(log []passed, window func(int64) int64) (most int64) {
	sum, first := int64(0), 0
	for _, p := range log {
		sum += p.cost
		for log[first].at < window(p.at) {
			sum -= log[first].cost
			first++
		}
		most = max(most, sum)
	}
	return most
}
