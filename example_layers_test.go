package weir_test

import (
	"context"
	"fmt"

	"github.com/weirhq/weir"
)

// A request that passes several layers is a list of checks, decided at one
// instant. Here a caller's plan is charged only if the route has room too, and a
// stricter limit for the route is tried out in shadow.
func ExampleDecide() {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	limit := func(text string) *weir.Limit {
		rate, err := weir.ParseRate(text)
		if err != nil {
			panic(err)
		}
		l, err := weir.NewLimit(rate, weir.WithAlgorithm(weir.TokenBucket))
		if err != nil {
			panic(err)
		}
		return l
	}
	plan := &weir.Group{Charge: weir.Admitted}
	route, trial := &weir.Group{}, &weir.Group{Shadow: true}
	checks := []weir.Check{
		{Key: weir.Key{Layer: "gateway", Limit: "plan", Identity: "key:a1"}, Limit: limit("60/h"), Cost: 1, Group: plan},
		{Key: weir.Key{Layer: "endpoint", Limit: "search", Identity: "key:a1"}, Limit: limit("2/h"), Cost: 1, Group: route},
		{Key: weir.Key{Layer: "trial", Limit: "search", Identity: "key:a1"}, Limit: limit("1/h"), Cost: 1, Group: trial},
	}
	for range 3 {
		results := make([]weir.Result, len(checks))
		if err := store.Take(context.Background(), checks, results); err != nil {
			panic(err)
		}
		d := weir.Decide(weir.NewID(), checks, results)
		fmt.Printf("allowed %t, tightest %s, plan has %d left, the trial would allow %t\n",
			d.Allowed, checks[d.Tightest].Key.Layer, results[0].Remaining, results[2].Allowed)
	}
	// Output:
	// allowed true, tightest endpoint, plan has 59 left, the trial would allow true
	// allowed true, tightest endpoint, plan has 58 left, the trial would allow false
	// allowed false, tightest endpoint, plan has 58 left, the trial would allow false
}
