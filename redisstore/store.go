package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/rueidis"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// Store is a [weir.Store] in Redis. Make it with [Open], [New] or
// [NewWithDoer].
type Store struct {
	eval    evaler
	prefix  string
	margin  time.Duration
	clock   func() time.Time // nil: the server's
	slots   bool             // a cluster: one call for each hash slot
	shared  *flights         // nil: each take is a call of its own
	carrier *carrier         // nil: as is each order
	denied  *denials         // nil: every refusal is asked for

	denyFor    time.Duration
	replaced   func(n int)
	close      func()
	background background
}

var _ weir.Store = (*Store)(nil)

// Option shapes a [Store].
type Option func(*Store)

// WithPrefix sets what every key begins with; the default is "weir". A brace in it
// would put all keys of a cluster into one slot.
func WithPrefix(prefix string) Option { return func(s *Store) { s.prefix = prefix } }

// WithMargin sets how long a key outlives the state that says nothing any more;
// the default is 1 s, the least 1 ms. A replica that becomes master with a clock
// that is further ahead than the margin has dropped keys that still counted.
func WithMargin(d time.Duration) Option {
	return func(s *Store) { s.margin = max(d, time.Millisecond) }
}

// WithClock decides by the caller's clock instead of the server's. It is for
// tests, and for services that forbid TIME in scripts; then all processes need
// clocks that agree, for what one is ahead the others admit too much.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.clock = now } }

// OnReplaced is told how many foreign or damaged values a call found under its
// keys; they are replaced and decided as fresh.
func OnReplaced(f func(n int)) Option { return func(s *Store) { s.replaced = f } }

// WithoutCoalescing makes every take a call of its own. By default those that ask
// the same while such a call is on its way wait for it and go together in the
// next, which grants them in the order in which they came; and while several calls
// are on their way, those that ask something else go together too, each decided by
// itself. It is for measuring.
func WithoutCoalescing() Option { return func(s *Store) { s.shared = nil } }

// WithDenyCache has requests that were refused refused again without a call, for as
// long as no wait is over and at most so long; 0, the default, has every one asked
// for. Only what takes nothing and reports nothing else is answered so. A refund, a
// reset and a take by this store count at once, those of other processes after at
// most that time.
func WithDenyCache(most time.Duration) Option { return func(s *Store) { s.denyFor = most } }

// New makes a store on a rueidis client, which stays the caller's to close. Make
// the client with [ClientOptions].
func New(client rueidis.Client, options ...Option) (*Store, error) {
	if client == nil {
		return nil, errors.New("redisstore: the client is nil")
	}
	s := newStore(newRueidisEvaler(client), options)
	s.slots = client.Mode() == rueidis.ClientModeCluster
	return s, nil
}

func newStore(e evaler, options []Option) *Store {
	s := &Store{eval: e, prefix: "weir", margin: time.Second, shared: newFlights(), replaced: func(int) {}, close: func() {}}
	for _, o := range options {
		o(s)
	}
	if s.shared != nil {
		s.carrier = &carrier{store: s}
	}
	if s.denyFor > 0 {
		s.denied = newDenials(s.denyFor, s.stopwatch())
	}
	return s
}

// Close ends the client that [Open] made; a client given to [New] is left alone.
// It waits for what is under way between calls, whoever goes on asking meanwhile,
// and is safe to call twice.
func (s *Store) Close() error {
	s.background.close()
	s.close()
	return nil
}

// Take implements [weir.Store].
func (s *Store) Take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if err := weir.ValidateChecks(checks); err != nil {
		return err
	}
	if len(checks) == 0 || s.denied.refuse(checks, results) {
		return nil
	}
	if s.slots {
		return s.takeSlots(ctx, checks, results)
	}
	return s.take(ctx, checks, results)
}

// take decides checks whose keys one node holds.
func (s *Store) take(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	if s.shared != nil && mergeable(checks) {
		return s.takeTogether(ctx, checks, results)
	}
	return s.takeAlone(ctx, checks, results)
}

// takeAlone is one call.
func (s *Store) takeAlone(ctx context.Context, checks []weir.Check, results []weir.Result) error {
	asked := s.denied.ask(checks)
	a, err := s.send(ctx, order{checks, 1})
	if err != nil {
		return fmt.Errorf("redisstore: take: %w", err)
	}
	return s.read(a, asked, checks, results)
}

func (s *Store) read(a answer, asked question, checks []weir.Check, results []weir.Result) error {
	var few [4]algorithm.State
	replaced, states, err := readAnswer(a, checks, results, few[:0])
	if replaced > 0 {
		s.replaced(replaced)
	}
	if err == nil {
		s.denied.learn(asked, checks, results, states)
	}
	return err
}

// stopwatch is a clock for durations: that of a test, or the process's.
func (s *Store) stopwatch() func() time.Duration {
	if s.clock == nil {
		start := time.Now()
		return func() time.Duration { return time.Since(start) }
	}
	start := s.clock()
	return func() time.Duration { return s.clock().Sub(start) }
}

// Known answers a request whose answer is known without a call: it is refused, see
// [WithDenyCache]. It reports whether it did. Take begins with it. The checks are
// valid ones, see [weir.ValidateChecks].
func (s *Store) Known(checks []weir.Check, results []weir.Result) bool {
	return s.denied.refuse(checks, results)
}

// DenyCacheHits is how many requests were refused without a call.
func (s *Store) DenyCacheHits() int64 {
	if s.denied == nil {
		return 0
	}
	return s.denied.hits.Load()
}

// ForgetRefusals has every refusal asked for again, as after a change of limits.
func (s *Store) ForgetRefusals() { s.denied.forgetAll() }

// Reset implements [weir.Store].
func (s *Store) Reset(ctx context.Context, keys []weir.Key) error {
	if len(keys) == 0 {
		return nil
	}
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = s.name(&keys[i])
	}
	err := s.eval.unlink(ctx, names)
	for i := range keys {
		s.denied.forget(&keys[i]) // after an error too: it may have happened
	}
	if err != nil {
		return fmt.Errorf("redisstore: reset: %w", err)
	}
	return nil
}
