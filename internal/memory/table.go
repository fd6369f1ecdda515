// Package memory is the in-process table of states: sharded, bounded, and
// atomic over all keys of a request. It knows the algorithms and how groups are
// charged; it does not know weir's vocabulary, so that the adapter in package
// weir is the whole of its seam.
//
//	table := memory.New(1<<20, clock)
//	op := memory.Op{Key: key, Limit: &limit, Cost: 1}
//	at := table.TakeOne(&op) // op.Allowed, op.Outcome
//
// # Time
//
// The clock is read once for each request, and an instant older than one a key of
// the request has seen is taken to be that one: time never runs backwards for a
// key.
//
// # Concurrency
//
// A request locks the shards of its keys in ascending order, so that requests
// that share keys in any order neither deadlock nor interleave. Nothing blocks
// while a lock is held. A check alone, of a bucket that is there, takes no lock:
// see flat.
package memory

import (
	"sync"

	"github.com/weirhq/weir/internal/algorithm"
)

// Key is a hash of a key's parts, in place of which no state holds text or a pointer.
type Key uint64

// Op is one check of a request: a question, and after [Table.Take] its answer.
type Op struct {
	Key   Key
	Limit *algorithm.Limit
	Cost  int64 // ≥ 0
	Group int32 // equal for neighbours that are charged together
	Charging
	Shadow bool
	Peek   bool

	Allowed bool // it passes by itself
	Charged bool // Cost was taken
	Outcome algorithm.Outcome
	Charge  algorithm.Charge // where Charged

	fate fate
}

// Charging is when a group is charged; the values are those of weir.Charging.
type Charging uint8

// See weir.Charging.
const (
	Arriving Charging = iota
	Admitted
	Independent
)

// Table holds the states.
type Table struct {
	clock   clock
	start   int64 // µs: no earlier charge is in it
	shards  []shard
	refunds recent[uint64] // decisions that were given back, by id
	reborn  recent[Key]    // keys that were reset, and since when they are there again

	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

const (
	maxShards   = 256
	minPerShard = 512 // below it the bound would bite long before it is reached
)

// New makes a table of at most maxKeys ≥ 1 keys. given is a clock in µs since the
// Unix epoch, called from many goroutines; nil is the process's own.
func New(maxKeys int, given func() int64) *Table {
	n := 1
	for 2*n <= maxShards && 2*n*minPerShard <= maxKeys {
		n *= 2
	}
	t := &Table{clock: newClock(given), shards: make([]shard, n), stop: make(chan struct{})}
	t.start = t.clock.now()
	for i := range t.shards {
		t.shards[i].init(maxKeys / n)
		t.shards[i].reborn = &t.reborn
	}
	t.stopped.Go(t.sweepUntilClosed)
	return t
}

// Close ends the sweeper and waits for it. It is safe to call twice.
func (t *Table) Close() {
	t.once.Do(func() { close(t.stop) })
	t.stopped.Wait()
}

// Len is the number of keys held.
func (t *Table) Len() int {
	n, now := 0, t.clock.now()
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.index) + s.flat.len(now)
		s.mu.Unlock()
	}
	return n
}

func (t *Table) shardOf(k Key) uint32 { return uint32(k) & uint32(len(t.shards)-1) }

// TakeOne is [Table.Take] for a request of one op, without the parts that it
// does not need: without a lock, if the key is there and one integer decides it.
func (t *Table) TakeOne(op *Op) int64 {
	s := &t.shards[t.shardOf(op.Key)]
	if tag := op.tag(); tag != 0 {
		if slot, found := s.flat.find(tag); found {
			if at, decided := slot.takeLone(op, tag, t.clock.now()); decided {
				return at
			}
		}
	}
	return t.takeLocked(s, op)
}

func (t *Table) takeLocked(s *shard, op *Op) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeOne(op, t.clock.now())
}

// tag is that of the op's slot; 0 for a limit that no one integer decides.
func (op *Op) tag() uint64 {
	if id := op.Limit.CompactID(); id != 0 {
		return tagOf(op.Key, id)
	}
	return 0
}

func (s *shard) takeOne(op *Op, now int64) int64 {
	if seat := (seat{shard: s}); seat.find(op) {
		return seat.takeLone(op, now)
	}
	var c cell
	now = c.open(s, op, now)
	return c.takeLone(op, now)
}

// open makes the cell what a request of one op decides on, at now or at the instant
// of what it finds, if that is later.
func (c *cell) open(s *shard, op *Op, now int64) int64 {
	c.load(s, op)
	now = max(now, s.past, c.stamp())
	c.begin(op, now)
	return now
}

func (c *cell) takeLone(op *Op, now int64) int64 {
	op.Allowed = c.claim(op, now)
	op.fate = op.ownFate()
	c.commit(op, now)
	op.Outcome = c.read(op, now)
	c.weigh(op)
	c.close(now)
	return now
}

// Reset forgets the key.
func (t *Table) Reset(k Key) {
	s := &t.shards[t.shardOf(k)]
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.index[k]
	if found {
		s.remove(i)
	}
	if slot, inSlot := s.flat.findAny(k); inSlot {
		slot.empty()
		found = true
	}
	if found {
		t.reborn.put(k, max(t.clock.now(), s.past))
	}
}
