package descriptor

import (
	"context"
	"fmt"

	"github.com/weirhq/weir"
)

// giveBack gives back the hits of the descriptors that say so, and looks again.
// The peek that went before tells the instant of the store's clock, which says
// what window is meant. A sliding log gives back the entries of a take, and hits
// name none: there it gives nothing.
func giveBack(ctx context.Context, store weir.Store, id weir.ID, r *Request, statuses []Status, checks []weir.Check, results []weir.Result) error {
	var charges []weir.Charge
	var again []int
	for i := range statuses {
		in, at := &r.Descriptors[i], statuses[i].check
		if at < 0 || !in.GiveBack || in.Hits == 0 || results[at].Limit == 0 {
			continue
		}
		charge, err := chargeOf(checks[at], results[at], in.Hits)
		if err != nil {
			return err
		}
		charges, again = append(charges, charge), append(again, at)
	}
	if len(charges) == 0 {
		return nil
	}
	if _, err := store.Refund(ctx, id, charges); err != nil {
		return fmt.Errorf("descriptor: give back: %w", err)
	}
	peeks, after := make([]weir.Check, len(again)), make([]weir.Result, len(again))
	for i, at := range again {
		peeks[i] = checks[at]
	}
	if err := store.Take(ctx, peeks, after); err != nil {
		return fmt.Errorf("descriptor: look again: %w", err)
	}
	for i, at := range again {
		results[at] = after[i]
	}
	return nil
}

// chargeOf is one of these hits, of which no take can have had more than the limit.
// A window that counts refusals may hold more: of it they are given back as if it
// had admitted all of them.
func chargeOf(c weir.Check, r weir.Result, hits int64) (weir.Charge, error) {
	charge := weir.Charged(c, r)
	charge.Cost = min(hits, r.Limit)
	if !c.Limit.CountsAll() {
		return charge, nil
	}
	wide, err := weir.NewLimit(weir.Rate{Count: maxCounted, Period: c.Limit.Rate().Period}, weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())
	if err != nil {
		return charge, fmt.Errorf("descriptor: give back: %w", err)
	}
	charge.Limit, charge.Cost = wide, min(hits, maxCounted)
	return charge, nil
}

// maxCounted is what a window counts at most.
const maxCounted = 1 << 53
