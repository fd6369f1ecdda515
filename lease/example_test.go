package lease_test

import (
	"context"
	"fmt"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/lease"
)

// A busy key is asked for rarely. The store stands for one that many processes share.
func Example() {
	shared := weir.NewMemoryStore(weir.MemoryOptions{})
	defer shared.Close()
	store := lease.New(shared, lease.Options{})
	defer store.Close()
	limiter, err := weir.New(weir.PerDay(10_000), weir.WithLease(5), weir.WithStore(store))
	if err != nil {
		fmt.Println(err)
		return
	}
	admitted := 0
	for range 400 {
		if res, err := limiter.Allow(context.Background(), "user:42"); err == nil && res.Allowed {
			admitted++
		}
	}
	fmt.Println(admitted, "were admitted")
	fmt.Println("most of them without asking:", store.Stats().Local > 200)
	// Output:
	// 400 were admitted
	// most of them without asking: true
}
