// Package lease lets a process take a part of a busy key's room at once and admit
// by itself until that is used up, so that a shared store is asked once for many
// requests.
//
//	shared, err := redisstore.Open("redis://127.0.0.1:6379")
//	store := lease.New(shared, lease.Options{})
//	defer store.Close()
//	limiter, err := weir.New(weir.PerMinute(60000), weir.WithLease(5), weir.WithStore(store))
//
// Only limits made with [weir.WithLease] are leased. A lease is an ordinary take of
// several requests, charged when it is taken. What is admitted from it is answered
// as if it had arrived at that instant: [weir.Result] has that instant, and its
// charge can be refunded like any other, by every process.
//
// # The bound
//
// A process holds at most one lease of a key, of at most Limit.Lease() requests, for
// at most a second or a tenth of the period, whichever is shorter. Therefore:
//
//   - No charge is ever beyond the limit. But a request may pass later than it was
//     charged. With N processes up to N × Limit.Lease() requests more than the limit
//     may pass within a period, and fewer within the period before.
//   - What is leased and not used refuses others: at most N × Limit.Lease()
//     requests, until it is given back at the end of the lease. A process that dies
//     gives nothing back, nor does one that does not learn that it got a lease; that
//     drains as what was taken does.
//   - A reset by another process does not reach a lease. It counts after its end.
//
// A refusal always comes from the store. A request of several checks is admitted
// without it only if each of them has a lease. What remains is off by a lease at most:
// in an answer of the store it leaves out what the process itself still holds, in
// another what was taken since the lease was.
//
// # Time
//
// A lease ends by the process's monotonic clock, counted from when it was asked for.
// On a machine that is suspended that clock stands still: what was leased before is
// admitted afterwards.
//
// # Errors
//
// Those of the store. Its failures do not end a lease: what is left of it was
// charged. Put package failover around this store, not within it.
//
// # Concurrency
//
// While one caller asks for a lease, the others ask the store for themselves. One
// goroutine gives back what is too old; Close waits for it.
package lease

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
)

// Options shape a [Store]. The zero value is a good one.
type Options struct {
	// Clock says when leases end; nil is the process's monotonic clock. It is for
	// tests.
	Clock func() time.Time
}

// Store is a [weir.Store] that leases from another.
type Store struct {
	primary weir.Store
	knows   knower // the primary, where it is one
	now     func() time.Duration
	seed    maphash.Seed
	demand  demand
	shards  [shards]shard
	stats   counters
	closed  atomic.Bool
	stop    chan struct{}
	ended   sync.WaitGroup
}

var _ weir.Store = (*Store)(nil)

// knower is a store that may know an answer without asking anybody.
type knower interface {
	Known(checks []weir.Check, results []weir.Result) bool
}

// New makes a store that leases from primary, which stays the caller's to close,
// afterwards.
func New(primary weir.Store, o Options) *Store {
	s := newStore(primary, o)
	s.ended.Go(s.sweep)
	return s
}

func newStore(primary weir.Store, o Options) *Store {
	s := &Store{primary: primary, now: stopwatch(o.Clock), seed: maphash.MakeSeed(), stop: make(chan struct{})}
	s.knows, _ = primary.(knower)
	for i := range s.shards {
		s.shards[i].by = make(map[uint64]*lease)
	}
	return s
}

func stopwatch(clock func() time.Time) func() time.Duration {
	if clock == nil {
		clock = time.Now
	}
	start := clock()
	return func() time.Duration { return clock().Sub(start) }
}

// Close gives back what is left of all leases and takes no more; the store still
// decides. It takes a second at most. It is safe to call twice.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	close(s.stop)
	s.ended.Wait()
	s.endLeases(true)
	return nil
}

// Take implements [weir.Store].
func (s *Store) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if err := weir.ValidateChecks(checks); err != nil {
		return err
	}
	if s.Known(checks, results) {
		return nil
	}
	if leasable(checks) && !s.closed.Load() {
		if w := s.want(checks); w != nil {
			return s.ask(ctx, w, results)
		}
	}
	return s.plain(ctx, checks, results)
}

// Known answers a request whose answer is known without a call: every check has a
// lease, or the primary knows. It reports whether it did. Take begins with it. The
// checks are valid ones, see [weir.ValidateChecks].
func (s *Store) Known(checks []weir.Check, results []weir.Result) bool {
	return leasable(checks) && s.admit(checks, results) || s.knows != nil && s.knows.Known(checks, results)
}

// maxChecks is how many checks a request that is admitted from leases may have.
const maxChecks = 8

// maxKeySize bounds what a lease keeps of a caller's text.
const maxKeySize = 512

// leasable reports whether all checks do no more than pass or not, under limits
// that have leases.
func leasable(checks []weir.Check) bool {
	for i := range checks {
		c := &checks[i]
		lease := c.Limit.Lease()
		if lease == 0 || c.Peek || c.Cost == 0 || c.Cost > lease || len(c.Key.Layer)+len(c.Key.Limit)+len(c.Key.Identity) > maxKeySize {
			return false
		}
		if g := c.Group; g != nil && (g.Shadow || g.Charge == weir.Independent && len(checks) > 1) {
			return false
		}
	}
	return len(checks) > 0 && len(checks) <= maxChecks
}

// Refund implements [weir.Store]. What was admitted from a lease was charged in the
// store, and is given back there.
func (s *Store) Refund(ctx context.Context, id weir.ID, charges []weir.Charge) (bool, error) {
	return s.primary.Refund(ctx, id, charges)
}

// Reset implements [weir.Store]. It ends this process's leases of the keys.
func (s *Store) Reset(ctx context.Context, keys []weir.Key) error {
	err := s.primary.Reset(ctx, keys)
	for i := range keys { // afterwards, for a lease may have been asked for meanwhile
		s.forget(&keys[i])
	}
	return err
}
