package weir

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/weirhq/weir/internal/memory"
)

// DefaultMaxKeys is the bound on keys of a [MemoryStore] that names none.
const DefaultMaxKeys = 1 << 20

// MemoryOptions shape a [MemoryStore]. The zero value is a good one.
type MemoryOptions struct {
	// MaxKeys is the hard bound on keys held, ≥ 1; 0 means [DefaultMaxKeys].
	// At the bound an idle key makes room for a new one or, of a few where none
	// is idle, the one that has used least and come least.
	MaxKeys int
	// Clock is the source of time; nil is the process's monotonic clock. It is
	// for tests and for replaying logs. It is read once for each call, and what
	// it says is never taken to be earlier than what a key has already seen.
	Clock func() time.Time
}

// MemoryStore is a [Store] in the process's memory. Its clock starts at the wall
// clock's time and is monotonic from then on: a wall clock that is set back
// while the process runs changes nothing.
//
// Keys are remembered by seeded hashes, so that nobody can find two that meet.
// Under GCRA and token bucket 60 bits of them count: that any two of a million keys
// share a state has a chance of 10⁻⁶, of ten million 10⁻⁴. Under the others, and
// under rates that do not fit (see docs/memory.md), 128 bits do.
type MemoryStore struct {
	table *memory.Table
	seeds [4]maphash.Seed
	clock func() time.Time
	start time.Time

	requests sync.Pool // of *memory.Request
}

var _ Store = (*MemoryStore)(nil)

// NewMemoryStore makes a store. Close it to end its sweeper.
func NewMemoryStore(o MemoryOptions) *MemoryStore {
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	s := &MemoryStore{clock: o.Clock, start: time.Now()}
	s.requests.New = func() any { return new(memory.Request) }
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	s.table = memory.New(o.MaxKeys, s.now)
	return s
}

// now is µs since the Unix epoch.
func (s *MemoryStore) now() int64 {
	if s.clock != nil {
		return max(0, s.clock().UnixMicro())
	}
	return s.start.UnixMicro() + time.Since(s.start).Microseconds()
}

// Close ends the sweeper and waits for it. It is safe to call twice. The store
// still decides afterwards, but forgets no idle key until it is full.
func (s *MemoryStore) Close() error {
	s.table.Close()
	return nil
}

// Len is the number of keys held.
func (s *MemoryStore) Len() int { return s.table.Len() }

// Take implements [Store]. The context is not used: nothing here blocks.
func (s *MemoryStore) Take(_ context.Context, checks []Check, results []Result) error {
	return s.take(checks, results)
}

func (s *MemoryStore) take(checks []Check, results []Result) error {
	if err := ValidateChecks(checks); err != nil {
		return err
	}
	if len(checks) == 1 {
		c := &checks[0]
		results[0] = Result{}
		s.takeOne(&results[0], s.namespace(c.Key.Layer, c.Key.Limit), c.Key.Identity, c.Limit, c.Cost, c.Peek)
		return nil
	}
	r := s.requests.Get().(*memory.Request)
	defer s.requests.Put(r)
	r.Ops = r.Ops[:0]
	group := int32(0)
	for i := range checks {
		if i > 0 && (checks[i].Group == nil || checks[i].Group != checks[i-1].Group) {
			group++
		}
		r.Ops = append(r.Ops, s.op(&checks[i], group))
	}
	at := s.table.Take(r)
	for i := range r.Ops {
		results[i] = resultOf(checks[i].Limit, &r.Ops[i], at)
	}
	return nil
}

// takeOne decides a check that is alone in its request. r is zero but for its ID.
func (s *MemoryStore) takeOne(r *Result, n namespace, identity string, l *Limit, cost int64, peek bool) {
	half := s.half(n, identity)
	if lone, decided := s.table.TakeLone(half, &l.compiled, cost, peek); decided {
		r.word(l, cost, lone.Allowed, lone.Charged, &lone.Outcome, lone.At)
		r.Before = Level{lone.Charge.Whole, lone.Charge.Frac}
		return
	}
	op := memory.Op{Key: memory.Key{half, s.otherHalf(n, identity)}, Limit: &l.compiled, Cost: cost, Peek: peek}
	at := s.table.TakeOne(&op)
	id := r.ID
	*r = resultOf(l, &op, at)
	r.ID = id
}

func resultOf(l *Limit, op *memory.Op, at int64) Result {
	r := NewResult(l, op.Cost, op.Allowed, op.Charged, op.Outcome, at)
	if op.Charged {
		r.Before = Level{op.Charge.Whole, op.Charge.Frac}
	}
	return r
}

func (s *MemoryStore) op(c *Check, group int32) memory.Op {
	op := memory.Op{Key: s.hash(&c.Key), Limit: &c.Limit.compiled, Cost: c.Cost, Group: group, Peek: c.Peek}
	if c.Group != nil {
		op.Charging, op.Shadow = memory.Charging(c.Group.Charge), c.Group.Shadow
	}
	return op
}

func (s *MemoryStore) hash(k *Key) memory.Key {
	n := s.namespace(k.Layer, k.Limit)
	return memory.Key{s.half(n, k.Identity), s.otherHalf(n, k.Identity)}
}

// namespace is the hash of a layer and a limit.
type namespace uint64

// namespace mixes its parts under seeds of their own, so that moving text from one
// part to the next makes another key.
func (s *MemoryStore) namespace(layer, limit string) namespace {
	return namespace(maphash.String(s.seeds[0], layer) + maphash.String(s.seeds[1], limit))
}

func (s *MemoryStore) half(n namespace, identity string) uint64 {
	return maphash.String(s.seeds[2], identity) + uint64(n)
}

func (s *MemoryStore) otherHalf(n namespace, identity string) uint64 {
	const odd = 0x9e3779b97f4a7c15 // so that the halves do not cancel each other out
	return maphash.String(s.seeds[3], identity) + uint64(n)*odd
}

// Refund implements [Store].
func (s *MemoryStore) Refund(_ context.Context, id ID, charges []Charge) (bool, error) {
	refunds := make([]memory.Refund, len(charges))
	for i := range charges {
		c := &charges[i]
		refunds[i] = memory.Refund{Key: s.hash(&c.Key), Limit: &c.Limit.compiled, Charge: c.Compiled()}
	}
	return s.table.Refund(uint64(id), refunds), nil
}

// Reset implements [Store].
func (s *MemoryStore) Reset(_ context.Context, keys []Key) error {
	for i := range keys {
		s.table.Reset(s.hash(&keys[i]))
	}
	return nil
}
