package lease

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// wanted is a request that takes leases along.
type wanted struct {
	checks []weir.Check // as they are asked for
	sizes  []int64      // what is taken of each
	leases []*lease     // nil where no more is taken than asked for
	places places
	sent   time.Duration
}

// want is nil where no key is worth a lease.
func (s *Store) want(checks []weir.Check) *wanted {
	now := s.now()
	var w *wanted
	p := s.places(checks)
	s.lock(p.mask)
	defer s.unlock(p.mask)
	for i := range checks {
		l, size := s.due(p.hashes[i], &checks[i], now)
		if l == nil {
			continue
		}
		if w == nil {
			w = &wanted{checks: checks, sizes: make([]int64, len(checks)), leases: make([]*lease, len(checks)), places: p, sent: now}
		}
		l.asking = true
		w.leases[i], w.sizes[i] = l, size
	}
	return w
}

// due is the lease that is to be taken now for a check, and its size. It is nil
// where there is one, or the key is not busy enough.
func (s *Store) due(hash uint64, c *weir.Check, now time.Duration) (*lease, int64) {
	shard := s.shard(hash)
	l := shard.by[hash]
	if l == nil {
		n := s.demand.add(hash, uint64(now/lifetime(c.Limit)), c.Cost)
		if n < hot*c.Cost || len(shard.by) >= shardLeases {
			return nil, 0
		}
		l = &lease{key: owned(c.Key), limit: c.Limit, wish: n}
		shard.by[hash] = l
	}
	if !l.isOf(c) || l.asking || l.left > 0 || now < l.after {
		return nil, 0
	}
	return l, min(max(l.wish, c.Cost), c.Limit.Lease())
}

// owned holds nothing of the caller's: its text may be a piece of something large.
func owned(k weir.Key) weir.Key {
	return weir.Key{Layer: strings.Clone(k.Layer), Limit: strings.Clone(k.Limit), Identity: strings.Clone(k.Identity)}
}

// ask takes the leases and the request in one call, or else the request alone.
func (s *Store) ask(ctx context.Context, w *wanted, results []weir.Result) error {
	outcome := s.refuse // also where the store panics: nobody else asks before
	defer func() { s.giveBack(ctx, outcome(w, results)) }()
	if err := s.primary.Take(ctx, w.enlarged(), results); err != nil {
		clear(results)
		return err
	}
	results = results[:len(w.checks)]
	if slices.ContainsFunc(results, func(r weir.Result) bool { return !r.Charged }) {
		return s.plain(ctx, w.checks, results)
	}
	outcome = s.begin
	return nil
}

// enlarged are the checks with the leases. They are one group, of which all are
// charged or none: then a request that is refused is asked for as if nothing had
// been.
func (w *wanted) enlarged() []weir.Check {
	checks, group := slices.Clone(w.checks), &weir.Group{Charge: weir.Admitted}
	for i := range checks {
		checks[i].Group = group
		checks[i].Cost = max(checks[i].Cost, w.sizes[i])
	}
	return checks
}

// begin ends what want began, where leases and request were charged. Results become
// those of the request alone; what cannot be kept of the leases is returned.
func (s *Store) begin(w *wanted, results []weir.Result) (back []weir.Charge) {
	s.lock(w.places.mask)
	defer s.unlock(w.places.mask)
	for i, l := range w.leases {
		if l == nil {
			continue
		}
		s.stats.taken.Add(1)
		l.begin(w.sizes[i], results[i], w.sent)
		results[i] = l.take(w.checks[i].Cost)
		if results[i].Degraded || s.closed.Load() {
			back = append(back, l.end()...)
		}
	}
	return back
}

// refuse ends what want began, where the request was asked for without leases. Half
// of what remains is the next to be tried.
func (s *Store) refuse(w *wanted, results []weir.Result) []weir.Charge {
	s.lock(w.places.mask)
	defer s.unlock(w.places.mask)
	for i, l := range w.leases {
		if l != nil {
			l.refused(w.sent, results[i].Remaining)
		}
	}
	return nil
}

func (l *lease) begin(size int64, r weir.Result, sent time.Duration) {
	l.asking = false
	l.size, l.left, l.last, l.before = size, size, r, r.Before
	l.ends = sent + lifetime(l.limit)
	l.after, l.wish = 0, 2*size
}

// refused leaves the key alone for a while where there is hardly any room left, or
// no store.
func (l *lease) refused(sent time.Duration, remaining int64) {
	l.asking = false
	l.ends = sent + lifetime(l.limit)
	if l.wish = min(l.wish, remaining/2); l.wish < hot {
		l.wish, l.after = hot, l.ends
	}
}

// end takes what is left, to be given back as what it is: the last part of a take.
func (l *lease) end() []weir.Charge {
	if l.left == 0 {
		return nil
	}
	c := weir.Charge{Key: l.key, Limit: l.limit, Cost: l.left, At: l.last.At, Before: l.before, Degraded: l.last.Degraded}
	l.left, l.wish = 0, l.size-l.left
	return []weir.Charge{c}
}
