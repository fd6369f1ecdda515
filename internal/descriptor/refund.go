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
		charge := weir.Charged(checks[at], results[at])
		charge.Cost = min(in.Hits, results[at].Limit) // no take can have had more
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
