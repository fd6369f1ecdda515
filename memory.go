package weir

import (
	"context"
	"hash/maphash"
	"slices"
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
// Keys are remembered by seeded hashes of 64 bits, so that nobody can find two that
// meet. Under GCRA and token bucket 60 of them count: that any two of a million keys
// share a state has a chance of 10⁻⁶, of ten million 10⁻⁴.
type MemoryStore struct {
	table *memory.Table
	seeds [3]maphash.Seed

	requests sync.Pool // of *request
}

var _ Store = (*MemoryStore)(nil)

// NewMemoryStore makes a store. Close it to end its sweeper.
func NewMemoryStore(o MemoryOptions) *MemoryStore {
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	s := &MemoryStore{table: memory.New(o.MaxKeys, micros(o.Clock))}
	s.requests.New = func() any { return new(request) }
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	return s
}

// micros is the clock in µs since the Unix epoch; nil stays nil.
func micros(clock func() time.Time) func() int64 {
	if clock == nil {
		return nil
	}
	return func() int64 { return max(0, clock().UnixMicro()) }
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
		s.takeOne(&results[0], s.key(&c.Key), c.Limit, c.Cost, c.Peek)
		return nil
	}
	r := s.requests.Get().(*request)
	defer s.requests.Put(r)
	s.ask(r, checks)
	at := s.table.Take(&r.Request)
	for i := range r.Ops {
		results[i] = Result{}
		results[i].answer(checks[i].Limit, &r.Ops[i], at)
	}
	return nil
}

// LeaveAtMost takes what it takes to leave the key at most so much of the limit, ≥ 0,
// and nothing where no more is left. So a store that stands in for another hears what
// is left there.
func (s *MemoryStore) LeaveAtMost(k Key, l *Limit, most int64) {
	if !l.Blocked() {
		s.table.Lower(&memory.Op{Key: s.key(&k), Limit: &l.compiled}, most)
	}
}

// takeOne decides a check that is alone in its request. r is zero but for its ID.
func (s *MemoryStore) takeOne(r *Result, k memory.Key, l *Limit, cost int64, peek bool) {
	op := memory.Op{Key: k, Limit: &l.compiled, Cost: cost, Peek: peek}
	r.answer(l, &op, s.table.TakeOne(&op))
}

// answer words what became of the op. r is zero but for its ID.
func (r *Result) answer(l *Limit, op *memory.Op, at int64) {
	r.word(l, op.Cost, op.Allowed, op.Charged, &op.Outcome, at)
	if op.Charged {
		r.Before = Level{op.Charge.Whole, op.Charge.Frac}
	}
}

// ask makes the request that of the checks. Most have one identity, hashed once.
func (s *MemoryStore) ask(r *request, checks []Check) {
	r.Ops = slices.Grow(r.Ops[:0], len(checks))[:len(checks)]
	if len(r.spaces) < len(checks) {
		r.spaces = make([]space, len(checks))
	}
	var identity hashed
	var group int32
	for i := range checks {
		c := &checks[i]
		if i == 0 || c.Key.Identity != checks[i-1].Key.Identity {
			identity = s.identity(c.Key.Identity)
		}
		if i > 0 && (c.Group == nil || c.Group != checks[i-1].Group) {
			group++
		}
		r.Ops[i] = memory.Op{Key: hashedKey(s.spaceOf(&c.Key, &r.spaces[i]), identity), Limit: &c.Limit.compiled, Cost: c.Cost, Group: group, Peek: c.Peek}
		if c.Group != nil {
			r.Ops[i].Charging, r.Ops[i].Shadow = memory.Charging(c.Group.Charge), c.Group.Shadow
		}
	}
}

// request is what several checks are decided with.
type request struct {
	memory.Request
	spaces []space
}

// space is the namespace that a check of the same place in a call before had, and its
// hash; 0 is none. Call after call has the checks of one policy: seeing that the text is
// the same, instead of hashing it, saves 5 % of deciding three layers.
type space struct {
	layer, limit string
	hash         hashed
}

func (s *MemoryStore) spaceOf(k *Key, known *space) hashed {
	if known.hash == 0 || known.layer != k.Layer || known.limit != k.Limit {
		*known = space{k.Layer, k.Limit, s.namespace(k)}
	}
	return known.hash
}

// hashed is a hash of a part of a key. Each part has a seed of its own, so that moving
// text from one part to the next makes another key.
type hashed uint64

func (s *MemoryStore) namespace(k *Key) hashed {
	return hashed(maphash.String(s.seeds[0], k.Layer) + maphash.String(s.seeds[1], k.Limit))
}

func (s *MemoryStore) identity(i string) hashed { return hashed(maphash.String(s.seeds[2], i)) }

func hashedKey(namespace, identity hashed) memory.Key { return memory.Key(namespace + identity) }

func (s *MemoryStore) key(k *Key) memory.Key {
	return hashedKey(s.namespace(k), s.identity(k.Identity))
}

// Refund implements [Store].
func (s *MemoryStore) Refund(_ context.Context, id ID, charges []Charge) (bool, error) {
	refunds := make([]memory.Refund, len(charges))
	for i := range charges {
		c := &charges[i]
		refunds[i] = memory.Refund{Key: s.key(&c.Key), Limit: &c.Limit.compiled, Charge: c.Compiled()}
	}
	return s.table.Refund(uint64(id), refunds), nil
}

// Reset implements [Store].
func (s *MemoryStore) Reset(_ context.Context, keys []Key) error {
	for i := range keys {
		s.table.Reset(s.key(&keys[i]))
	}
	return nil
}
