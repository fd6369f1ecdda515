package redisstore_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// The scripts decide as the functions of internal/algorithm do, and leave the same
// state, bit for bit, on any history of one key: limits that change, clocks that
// step back, refunds, costs up to the largest integer.
func TestScriptsFollowTheFunctions(t *testing.T) {
	runHistories(t, ordinaryLimits, 60)
}

// So they do with limits at the ends of every range and steps as long as those.
func TestScriptsFollowTheFunctionsAtExtremes(t *testing.T) {
	runHistories(t, extremeLimits, 150)
}

func runHistories(t *testing.T, limits func(testing.TB, weir.Algorithm) []*weir.Limit, histories int) {
	server := sharedServer(t)
	conn, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		r, seen := randomness(t), map[string]int{}
		clock := newClock()
		store := open(t, urlOf(server), clock.options()...)
		pool := limits(t, a)
		for i := range rounds(histories) {
			h := &history{
				T: t, store: store, clock: clock, conn: conn, r: r, seen: seen, limits: pool,
				key: weir.Key{Layer: t.Name(), Limit: a.String(), Identity: fmt.Sprint(i)},
			}
			h.limit = h.pick()
			for range 60 {
				h.step()
			}
		}
		t.Logf("%v", seen)
		takes := seen["admitted"] + seen["refused"]
		for _, what := range []string{"admitted", "refused", "returned", "back", "at a wait", "other limit"} {
			if seen[what] < takes/50 {
				t.Errorf("%s only %d times in %d calls", what, seen[what], takes)
			}
		}
	})
}

// history is a key in Redis beside the same key as the functions keep it.
type history struct {
	*testing.T
	store  *redisstore.Store
	clock  *clock
	conn   *redistest.Conn
	r      *rand.Rand
	seen   map[string]int
	limits []*weir.Limit

	key   weir.Key
	limit *weir.Limit
	state algorithm.State
	log   algorithm.Log
	last  weir.Result
	taken []weir.Charge
}

func (h *history) pick() *weir.Limit { return h.limits[h.r.IntN(len(h.limits))] }

func (h *history) step() {
	h.Helper()
	h.move()
	if h.r.IntN(8) == 0 {
		h.limit = h.pick()
		h.seen["other limit"]++
	}
	switch h.r.IntN(8) {
	case 0:
		h.refund()
	case 1:
		h.ask(h.cost(), true)
	default:
		h.ask(h.cost(), false)
	}
}

// move makes time pass, or step back.
func (h *history) move() {
	period := h.limit.Rate().Period
	switch h.r.IntN(12) {
	case 0, 1:
		if wait := h.last.NextAfter; wait > 0 && wait < math.MaxInt64/2 {
			h.clock.pass(wait - time.Duration(h.r.IntN(2))*time.Microsecond)
			h.seen["at a wait"]++
		}
	case 2:
		h.clock.pass(min(h.last.ResetAfter, math.MaxInt64/2))
	case 3: // to a window's edge
		now, us := h.clock.now.Load(), period.Microseconds()
		h.clock.set(now - now%us + us - h.r.Int64N(2))
	case 4:
		h.clock.pass(time.Duration(h.r.Int64N(int64(period))))
	case 5:
		h.clock.pass(2*period - time.Duration(h.r.IntN(2))*time.Microsecond)
	case 6:
		h.clock.pass(-[]time.Duration{time.Microsecond, time.Second, period / 2, period, 10 * time.Hour, 3 * period}[h.r.IntN(6)])
		h.seen["back"]++
	}
	if most := int64(1) << 52; h.clock.now.Load() > most {
		h.clock.set(most - h.clock.now.Load()%1_000_000)
	}
}

func (h *history) cost() int64 {
	left, capacity := h.last.Remaining, h.limit.Capacity()
	costs := []int64{0, 1, 1, 2, left, left + 1, left / 2, capacity, capacity + 1, 1 + h.r.Int64N(capacity), math.MaxInt64}
	return costs[h.r.IntN(len(costs))]
}

func (h *history) ask(n int64, peek bool) {
	h.Helper()
	c := weir.Check{Key: h.key, Limit: h.limit, Cost: n, Peek: peek}
	got, want := decide(h, h.store, c)[0], h.reference(c)
	if got != want {
		h.Fatalf("at %d take %d of %s (peek %t)\n got %+v\nwant %+v", h.clock.now.Load(), n, h.limit, peek, got, want)
	}
	h.compareStates()
	h.last = got
	if got.Charged {
		h.taken = append(h.taken, weir.Charged(c, got))
	}
	if got.Allowed {
		h.seen["admitted"]++
	} else {
		h.seen["refused"]++
	}
}

func (h *history) reference(c weir.Check) weir.Result {
	l, now := h.limit.Compiled(), h.clock.now.Load()
	if c.Peek {
		o := h.read(c.Cost)
		return weir.NewResult(h.limit, c.Cost, c.Cost == 0 || o.Wait == 0, false, o, now)
	}
	admitted := false
	if l.Kind == algorithm.SlidingLog {
		admitted = h.log.Take(l, now, c.Cost)
	} else {
		h.state, admitted = l.Take(h.state, now, c.Cost)
	}
	result := weir.NewResult(h.limit, c.Cost, admitted, admitted && c.Cost > 0, h.read(c.Cost), now)
	if result.Charged {
		charge := l.Charged(h.state, now, c.Cost)
		result.Before = weir.Level{Whole: charge.Whole, Frac: charge.Frac}
	}
	return result
}

func (h *history) read(n int64) algorithm.Outcome {
	if h.limit.Algorithm() == weir.SlidingLog {
		return h.log.Read(h.limit.Compiled(), h.clock.now.Load(), n)
	}
	return h.limit.Compiled().Read(h.state, h.clock.now.Load(), n)
}

// compareStates looks into the server.
func (h *history) compareStates() {
	h.Helper()
	name := redisstore.KeyName(h.store, h.key)
	if h.limit.Algorithm() == weir.SlidingLog {
		want := 0
		if h.log.Len() > 0 {
			want = h.log.Len() + 1 // the header
		}
		if got := h.command("llen", name); got != fmt.Sprint(want) {
			h.Fatalf("the list of %s has %s elements, the log %d entries", name, got, h.log.Len())
		}
		return
	}
	text := h.command("get", name)
	if got, ok := algorithm.DecodeState(text); !ok || got != h.state {
		h.Fatalf("at %d %s under %s: state %x is %+v, want %+v", h.clock.now.Load(), name, h.limit, text, got, h.state)
	}
}

func (h *history) command(args ...string) string {
	h.Helper()
	text, err := h.conn.Do(args...)
	if err != nil {
		h.Fatal(err)
	}
	return text
}

// refund gives back one of the last takes.
func (h *history) refund() {
	h.Helper()
	if len(h.taken) == 0 {
		return
	}
	i := max(0, len(h.taken)-1-h.r.IntN(4))
	charge := h.taken[i]
	h.taken = append(h.taken[:i], h.taken[i+1:]...)
	got, err := h.store.Refund(context.Background(), weir.NewID(), []weir.Charge{charge})
	if err != nil {
		h.Fatal(err)
	}
	want := false
	now := h.clock.now.Load()
	if h.limit.Algorithm() != weir.SlidingLog {
		h.state, want = charge.Limit.Compiled().Refund(h.state, now, charge.Compiled())
	} else if period := h.log.Expires() - h.log.Stamp(); charge.At+period > now {
		want = h.log.Refund(charge.Compiled())
	}
	if got != want {
		h.Fatalf("at %d refund of %+v under %s: %t, want %t", now, charge, charge.Limit, got, want)
	}
	h.compareStates()
	if got {
		h.seen["returned"]++
	}
}
