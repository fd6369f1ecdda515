package weir

import (
	"context"

	"github.com/weirhq/weir/internal/algorithm"
)

// Store holds the states and decides. The memory store is one; package
// redisstore has the one for many machines. What a store must promise is
// written as tests in package storetest.
//
// A store decides by its own clock, so that no caller's clock matters. All its
// methods may be called concurrently.
type Store interface {
	// Take decides all checks of a request at one instant and answers checks[i]
	// in results[i]; results is at least as long as checks. Groups are charged
	// as their [Charging] says. A key is named once, except by independent
	// checks, of which each sees what those before it took; see [ValidateChecks].
	//
	// An error means that no decision was made and results say nothing. A store
	// keeps neither slice when it has returned: they are used again.
	Take(ctx context.Context, checks []Check, results []Result) error
	// Refund gives back what is left of the charges that decision id made, at
	// most once for each id, and reports whether it gave anything. It makes no
	// key and no room beyond the capacity.
	Refund(ctx context.Context, id ID, charges []Charge) (bool, error)
	// Reset forgets the keys: each is as one never seen.
	Reset(ctx context.Context, keys []Key) error
}

// Charge is what one check took, kept for a refund.
type Charge struct {
	Key    Key
	Limit  *Limit // as it was
	Cost   int64  // requests, ≥ 1
	At     int64  // µs since the Unix epoch, by the store's clock
	Before Level
	// Degraded says that the charge was made where [Result.Degraded] was.
	Degraded bool
}

// Charged is what a check with its result took. It is meaningful where
// r.Charged is true.
func Charged(c Check, r Result) Charge {
	return Charge{Key: c.Key, Limit: c.Limit, Cost: c.Cost, At: r.At, Before: r.Before, Degraded: r.Degraded}
}

// Compiled is the charge as the stores of this module decide it.
func (c Charge) Compiled() algorithm.Charge {
	return algorithm.Charge{Cost: c.Cost, At: c.At, Whole: c.Before.Whole, Frac: c.Before.Frac}
}
