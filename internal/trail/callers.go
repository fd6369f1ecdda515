package trail

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
)

const (
	counters        = 512             // of the callers that ask most
	refusedCounters = 256             // of those that are refused most
	leastSpan       = 5 * time.Minute // of a generation
)

// callers remembers who asks most under one limit and who is refused most, apart,
// so that those who are let pass do not push out those who are not. There are two
// generations: what is told is of the last one to two spans.
type callers struct {
	span       int64 // µs, whole periods, so that none is cut in two
	generation atomic.Int64
	heaviest   generations
	refused    generations
}

type generations struct{ now, before atomic.Pointer[sketch] }

func newCallers(period time.Duration) *callers {
	c := &callers{span: spanOf(period).Microseconds()}
	c.heaviest.now.Store(newSketch(counters))
	c.refused.now.Store(newSketch(refusedCounters))
	return c
}

func spanOf(period time.Duration) time.Duration {
	return (leastSpan + period - 1) / period * period
}

func (c *callers) asked(hash uint64, check *weir.Check, r *weir.Result) {
	if check.Cost > 0 {
		c.heaviest.now.Load().add(hash, check, r, check.Cost)
	}
	if !r.Allowed {
		c.refused.now.Load().add(hash, check, r, 1)
	}
}

func (c *callers) rotate(now int64) {
	generation := now / c.span
	if was := c.generation.Swap(generation); was == 0 || was == generation {
		return
	}
	c.heaviest.rotate(counters)
	c.refused.rotate(refusedCounters)
}

func (g *generations) rotate(counters int) {
	g.before.Store(g.now.Swap(newSketch(counters)))
}

// Order sorts callers.
type Order uint8

const (
	Heaviest Order = iota
	MostRefused
)

// Callers tells who asked under a limit lately.
type Callers struct {
	Layer, Limit string
	Rule         *weir.Limit   // as it was asked last
	Span         time.Duration // what is told is of the last one to two spans
	// Distinct is how many callers there were: exact while all of them are
	// listed, else an estimate.
	Distinct int64
	Exact    bool
	// Missed is how many requests were not counted, since two came at one instant.
	Missed int64
	// Unseen is the most that somebody can have asked who has no counter, or before
	// it had one; 0 where everybody always had.
	Unseen int64
	List   []Caller // sorted; those of whom nothing is known are missing
}

// Caller is one of them. Asked is at most Over too large, and at most
// [Callers].Unseen too small: the caller may have had no counter in one of the two
// spans. Refused and Peak begin with its counter: they are never too large, and
// Peak is at most Unseen too small.
type Caller struct {
	Identity string
	Ref      string // see [Trail.Ref]
	Rule     *weir.Limit
	Asked    int64 // requests
	Over     int64
	Refused  int64
	// Peak is the most requests in one period, of the periods that begin at whole
	// multiples since the epoch: at least half of the most in any stretch of that
	// length.
	Peak int64
	Last time.Time
}

// Callers are the limit's; nil where it has not been asked, or is one of too many.
func (t *Trail) Callers(layer, limit string, by Order) *Callers {
	m := (*t.meters.Load())[meterName{layer, limit}]
	if m == nil || m.callers == nil {
		return nil
	}
	out := &Callers{Layer: layer, Limit: limit, Rule: m.rule.Load(), Span: time.Duration(m.callers.span) * time.Microsecond}
	g := &m.callers.heaviest
	if by == MostRefused {
		g = &m.callers.refused
	}
	out.fill(g)
	slices.SortFunc(out.List, func(a, b Caller) int {
		if by == MostRefused {
			return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(a.Identity, b.Identity))
		}
		return cmp.Or(cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Identity, b.Identity))
	})
	return out
}

func (c *Callers) fill(g *generations) {
	all := map[uint64]caller{}
	var ranks [shards * registers]uint8
	for _, k := range []*sketch{g.before.Load(), g.now.Load()} {
		if k != nil {
			c.Unseen += k.collect(all, &ranks)
			c.Missed += k.missed.Load()
		}
	}
	c.Exact, c.Distinct = c.Unseen == 0, int64(len(all))
	if !c.Exact {
		c.Distinct = max(c.Distinct, callersBy(&ranks))
	}
	for hash, one := range all {
		c.List = append(c.List, Caller{
			Identity: one.identity, Ref: refOf(hash), Rule: one.rule, Asked: one.asked, Over: one.over, Refused: one.refused,
			Peak: one.peak, Last: time.UnixMicro(one.last),
		})
	}
}

// Limits names the limits of a layer that have been asked and whose callers are
// remembered, sorted.
func (t *Trail) Limits(layer string) (names []string) {
	for name, m := range *t.meters.Load() {
		if name.layer == layer && m.callers != nil {
			names = append(names, name.limit)
		}
	}
	slices.Sort(names)
	return names
}

// Ref stands for an identity in this process, where that is not to be shown.
func (t *Trail) Ref(identity string) string {
	return refOf(t.hash(identity))
}

func refOf(hash uint64) string { return refPrefix + fmt.Sprintf("%016x", hash) }

const refPrefix = "~" // begins no identity

// IsRef reports whether a text is written as a ref is.
func IsRef(text string) bool {
	_, ok := parseRef(text)
	return ok
}

func parseRef(ref string) (hash uint64, ok bool) {
	text, isRef := strings.CutPrefix(ref, refPrefix)
	hash, err := strconv.ParseUint(text, 16, 64)
	return hash, isRef && err == nil && len(text) == 16
}

// Named is the identity of a caller of the layer by its ref; "" for what is no
// ref, and where the caller is not remembered any more, or not whole.
func (t *Trail) Named(layer, ref string) string {
	hash, ok := parseRef(ref)
	if !ok {
		return ""
	}
	for name, m := range *t.meters.Load() {
		if name.layer != layer || m.callers == nil {
			continue
		}
		// One that was cut is another caller's.
		if identity := m.callers.named(hash); identity != "" && t.hash(identity) == hash {
			return identity
		}
	}
	return ""
}

func (c *callers) named(hash uint64) string {
	for _, g := range []*generations{&c.heaviest, &c.refused} {
		for _, k := range []*sketch{g.now.Load(), g.before.Load()} {
			if k == nil {
				continue
			}
			if one, found := k.find(hash); found {
				return one.identity
			}
		}
	}
	return ""
}
