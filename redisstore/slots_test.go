package redisstore_test

import (
	"context"
	"testing"

	"github.com/weirhq/weir"
)

// What counts refused calls is asked in its turn, and its turn is when all that
// stands before it is known: here it is on the node of a check that passes, and
// its request was refused by another, in a group that spans both. A refused call
// cannot be uncounted.
func TestCountAllWaitsForItsTurn(t *testing.T) {
	store := open(t, sharedCluster(t).URL())
	ten := limitOf(t, weir.PerDay(10))
	all := limitOf(t, weir.PerDay(10), weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())
	independent, admitted := &weir.Group{Charge: weir.Independent}, &weir.Group{Charge: weir.Admitted}
	of := func(identity, limit string) weir.Key {
		return weir.Key{Layer: "turns", Limit: limit, Identity: identity}
	}
	results := decide(t, store,
		weir.Check{Key: of("one", "x"), Limit: ten, Cost: 11, Group: independent},
		weir.Check{Key: of("two", "y"), Limit: ten, Cost: 1, Group: independent},
		weir.Check{Key: of("two", "all"), Limit: all, Cost: 11, Group: admitted},
	)
	if results[0].Allowed || !results[1].Charged || results[2].Allowed || results[2].Remaining != 10 {
		t.Errorf("%+v", results)
	}
	if left := peek(t, store, of("two", "all"), all, 1).Remaining; left != 10 {
		t.Errorf("%d remain of what was not its turn", left)
	}
}

// Independent checks may charge a key twice, and a refund gives both back, once.
func TestRefundOfAKeyChargedTwice(t *testing.T) {
	store := open(t, urlOf(sharedServer(t)))
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limit, group := limitOf(t, weir.PerDay(10), weir.WithAlgorithm(a)), &weir.Group{Charge: weir.Independent}
		k := key(t.Name())
		checks := []weir.Check{{Key: k, Limit: limit, Cost: 2, Group: group}, {Key: k, Limit: limit, Cost: 3, Group: group}}
		d := weir.Decide(weir.NewID(), checks, decide(t, store, checks...))
		for i := range 2 {
			if gave, err := store.Refund(context.Background(), d.ID, d.Charges()); err != nil || gave != (i == 0) {
				t.Errorf("refund %d: %t, %v", i+1, gave, err)
			}
			if left := peek(t, store, k, limit, 1).Remaining; left != 10 {
				t.Errorf("after refund %d %d remain", i+1, left)
			}
		}
	})
}
