package algorithm_test

// Random histories of one key, played against the code and the model at once. A
// walk chooses its instants adversarially: most of them lie exactly at an edge
// that the last answer named, or one microsecond beside it.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// source chooses a number from 0 to n-1: a generator, or a fuzzer's bytes.
type source interface{ choose(n int64) int64 }

type generator struct{ *rand.Rand }

func (g generator) choose(n int64) int64 { return g.Int64N(n) }

// bytes chooses 0 once they are used up.
type bytes struct{ rest []byte }

func (b *bytes) choose(n int64) int64 {
	var word [8]byte
	size := 8
	if n <= 256 {
		size = 1
	}
	b.rest = b.rest[copy(word[:size], b.rest):]
	return int64(binary.LittleEndian.Uint64(word[:]) % uint64(n))
}

func (w *walk) oneIn(n int64) bool { return w.choose(n) == 0 }

func pick[T any](s source, from ...T) T { return from[s.choose(int64(len(from)))] }

// walk is a key, its models and what the history knows so far.
type walk struct {
	source
	t      *testing.T
	kind   algorithm.Kind
	key    *key
	models []model // token bucket and GCRA have two, which must agree
	limit  algorithm.Limit
	past   []algorithm.Limit // limits the key was under
	now    int64
	last   algorithm.Outcome // what the last call was told
	taken  []takenCharge
	// backward lets the clock step back. Without it the key is forgotten now
	// and then once it has expired, and the models, which forget nothing, must
	// not notice.
	backward bool
	history  []string // as a vector file would have it
	tally    *tally
}

type takenCharge struct {
	limit  algorithm.Limit
	charge algorithm.Charge
	models []modelCharge
}

// tally shows that a test has visited what it claims to test.
type tally map[string]int

func newWalk(t *testing.T, kind algorithm.Kind, src source, tally *tally) *walk {
	w := &walk{source: src, t: t, kind: kind, key: newKey(kind), tally: tally}
	switch kind {
	case algorithm.TokenBucket, algorithm.GCRA:
		w.models = []model{tokenModel{}, arrivalModel{}}
	default:
		w.models = []model{newModel(kind)}
	}
	w.backward = w.oneIn(2)
	w.now = vectors.T0 + pick(src, 0, -1, 1, src.choose(86400_000_000))
	w.under(randomLimit(src, kind))
	return w
}

// run plays a number of steps and stops at the first that is wrong.
func (w *walk) run(steps int) {
	for range steps {
		if w.t.Failed() {
			return
		}
		w.step()
	}
}

func (w *walk) step() {
	w.move()
	switch w.choose(16) {
	default:
		w.take(w.cost())
	case 0, 1:
		w.peek(w.cost())
	case 2, 3:
		w.refund()
	case 4:
		w.change()
	}
}

func (w *walk) count(what string) {
	if w.tally != nil {
		(*w.tally)[what]++
	}
}

func (w *walk) record(format string, args ...any) {
	w.history = append(w.history, fmt.Sprintf(format, args...))
}

func (w *walk) at() string { return vectors.FormatDuration(w.now - vectors.T0) }

func (w *walk) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s: %s\nafter\n%s\nlimit %+v\nstate %+v %+v", vectors.Name(w.kind), fmt.Sprintf(format, args...),
		strings.Join(w.history, "\n"), w.limit, w.key.state, *w.key.log)
}

func (w *walk) under(l algorithm.Limit) {
	w.limit = l
	w.past = append(w.past, l)
	all := ""
	if l.CountAll {
		all = " count all"
	}
	w.record("limit %d/%s burst %d%s", l.Count, vectors.FormatDuration(l.Period), l.Burst, all)
}

// far is where walks turn back to T0's century: well inside of what a double
// holds, with room for the longest wait.
const far = vectors.T0 + 1<<51

// move goes to the next instant.
func (w *walk) move() {
	period := w.limit.Period
	beside := pick(w, int64(0), -1, 1, -1, 0)
	var to int64
	where := "same instant"
	switch w.choose(14) {
	default:
		return
	case 0, 1, 2:
		if w.last.Wait == algorithm.Never {
			return
		}
		to, where = w.now+w.last.Wait+beside, "at a wait"
	case 3:
		to, where = w.now+w.last.Reset+beside, "at a reset"
	case 4:
		to, where = windowOf(w.now, period)+period+beside, "at a window's edge"
	case 5:
		to, where = w.key.expires()+beside, "at expiry"
	case 6:
		to = w.now + w.choose(3*max(1, period/max(1, w.limit.Count))+1)
	case 7:
		to = w.now + w.choose(2*period+1)
	case 8:
		if !w.backward {
			return
		}
		step := pick(w, 1, w.choose(10)+1, w.choose(2*period)+1, 36000_000_000, period, w.choose(period/max(1, w.limit.Count)+1)+1)
		to, where = w.now-step, "step back"
	}
	if where == "at a wait" && beside < 0 {
		where = "just before a wait"
	}
	if to > far || to < 0 || to < w.now && !w.backward {
		return
	}
	w.now = to
	w.count(where)
	if !w.backward && w.key.expires() <= to && w.oneIn(2) {
		w.key.forget()
		w.count("forgotten")
		if w.kind == algorithm.SlidingLog {
			w.taken = nil // a refund would find the entries in the model only
		}
	}
}

func (w *walk) cost() int64 {
	most := capacity(&w.limit)
	switch w.choose(20) {
	default:
		return 1
	case 0:
		return 0
	case 1, 2:
		return w.last.Remaining
	case 3, 4:
		return w.last.Remaining + 1
	case 5:
		return max(0, w.last.Remaining-1)
	case 6:
		return most
	case 7:
		return most + pick(w, int64(1), 2, math.MaxInt64-most)
	case 8, 9:
		return 1 + w.choose(min(most, 10)+1)
	case 10, 11, 12:
		return 1 + w.choose(most+1)
	case 13:
		return 1 + w.choose(w.last.Remaining+1)
	}
}

func (w *walk) take(n int64) {
	before := w.key.clone()
	w.record("%s take %d", w.at(), n)
	charge, admitted := w.key.take(&w.limit, w.now, n)
	w.tallyTake(n, admitted)
	taken := takenCharge{limit: w.limit, charge: charge}
	rewritten := w.limit.CountAll
	for i, m := range w.models {
		if n > 0 && w.limit.Count > 0 {
			_, refused := m.at(&w.limit, w.now)
			rewritten = rewritten || refused != nil
		}
		next, modelCharge, want := modelTake(m, &w.limit, w.now, n)
		if admitted != want {
			w.fail("admitted %v, and %T says %v", admitted, m, want)
		}
		w.models[i] = next
		taken.models = append(taken.models, modelCharge)
	}
	if len(w.models) > 0 && !admitted && !rewritten && !w.key.same(before) {
		w.fail("a refusal changed the state from %+v %+v", before.state, *before.log)
	}
	if n == 0 && !w.key.same(before) {
		w.fail("a cost of 0 changed the state")
	}
	if admitted && n > 0 && len(w.taken) < 50 {
		w.taken = append(w.taken, taken)
	}
	w.check(n)
}

func (w *walk) tallyTake(n int64, admitted bool) {
	switch {
	case n == 0:
	case w.limit.Count == 0:
		w.count("blocked")
	case n > capacity(&w.limit):
		w.count("above the capacity")
	case admitted:
		w.count("admitted")
	default:
		w.count("refused")
	}
}

func (w *walk) peek(n int64) {
	w.record("%s peek %d", w.at(), n)
	w.check(n)
}

// check compares the answer for a cost with the models; reading changes nothing.
func (w *walk) check(n int64) {
	before := w.key.clone()
	w.last = w.key.read(&w.limit, w.now, n)
	if !w.key.same(before) {
		w.fail("reading changed the state")
	}
	for _, m := range w.models {
		if wrong := wrongOutcome(m, &w.limit, w.now, n, w.last); wrong != "" {
			w.fail("%+v: %s; %T says %+v", w.last, wrong, m, modelOutcome(m, &w.limit, w.now, n))
		}
	}
}

func (w *walk) refund() {
	if len(w.taken) == 0 {
		return
	}
	i := w.choose(int64(len(w.taken)))
	if w.oneIn(2) {
		i = int64(len(w.taken)) - 1
	}
	taken := w.taken[i]
	w.taken = append(w.taken[:i:i], w.taken[i+1:]...)
	w.record("%s refund of %+v under %+v", w.at(), taken.charge, taken.limit)
	returned := w.key.refund(&taken.limit, w.now, taken.charge)
	for i, m := range w.models {
		next, want := m.refund(&taken.limit, w.now, taken.models[i])
		if returned != want {
			w.fail("returned %v, and %T says %v", returned, m, want)
		}
		w.models[i] = next
	}
	if returned {
		w.count("returned")
	} else {
		w.count("nothing returned")
	}
	w.check(1)
}

func (w *walk) change() {
	old := w.limit
	count, period, burst := old.Count, old.Period, old.Burst
	bucket := w.kind == algorithm.TokenBucket || w.kind == algorithm.GCRA
	switch w.choose(8) {
	case 0, 1:
		count = pick(w, count*2, count/2, count+1, count-1, 1+w.choose(2*count+1))
		if w.oneIn(2) {
			burst = 0
		}
	case 2, 3:
		period = pick(w, period*2, period/2, period*6, period/6, period+1, 1+w.choose(2*period))
	case 4:
		burst = pick(w, burst*2, burst/2, burst+1, burst-1, 0)
	case 5:
		w.under(pick(w, w.past...))
		return
	case 6:
		w.under(randomLimit(w, w.kind))
		return
	case 7:
		count = 0
		if !w.oneIn(3) {
			count, period = old.Count*2, old.Period*2 // the same rate
		}
	}
	if !bucket {
		burst = 0
	}
	if l, err := algorithm.Compile(w.kind, count, period, burst); err == nil {
		l.CountAll = old.CountAll
		w.under(l)
	}
}

func randomLimit(s source, kind algorithm.Kind) algorithm.Limit {
	const day = 86400_000_000
	for range 20 {
		count := pick(s, 1, 2, 3, 5, 7, 10, 59, 60, 61, 100, 1000, 6000, 65535, 999_983, 1_000_000,
			1+s.choose(10), 1+s.choose(10_000_000), algorithm.MaxLogCount, mostCount(kind), mostCount(kind)-s.choose(1000))
		period := pick(s, 1, 2, 3, 7, 10, 1000, 999_983, 1_000_000, 1_000_000, 10_000_000, 13_000_000, 60_000_000, 60_000_000,
			3600_000_000, day, day, 30*day, 365*day, algorithm.MaxPeriod, algorithm.MaxPeriod-s.choose(1000), 1+s.choose(1000), 1+s.choose(algorithm.MaxPeriod))
		var burst int64
		if kind == algorithm.TokenBucket || kind == algorithm.GCRA {
			burst = pick(s, 0, 0, 0, 0, 1, 2, 1+s.choose(20), count*2, algorithm.MaxBurst, 1+s.choose(algorithm.MaxBurst), drainable(count, period))
		}
		if l, err := algorithm.Compile(kind, count, period, burst); err == nil {
			l.CountAll = kind == algorithm.FixedWindow && s.choose(4) == 0
			return l
		}
	}
	l, err := algorithm.Compile(kind, 10, 60_000_000, 0)
	if err != nil {
		panic(err)
	}
	return l
}

// drainable is about the largest burst that drains within 285 years.
func drainable(count, period int64) int64 {
	return int64(min(float64(algorithm.MaxBurst), (1<<53-1)/float64(period)*float64(count)))
}

func mostCount(kind algorithm.Kind) int64 {
	switch kind {
	case algorithm.FixedWindow:
		return algorithm.MaxWindowCount
	case algorithm.SlidingLog:
		return algorithm.MaxLogCount
	case algorithm.SlidingCounter:
		return algorithm.MaxCounterCount
	default:
		return algorithm.MaxBucketCount
	}
}
