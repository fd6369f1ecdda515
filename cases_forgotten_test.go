package weir_test

import (
	"context"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A receipt is of the state that it charged: after a reset, and in a store that
// was started later, others have taken what is held there.
func TestOldReceiptsGiveBackNothing(t *testing.T) {
	for _, a := range weir.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			clock := func() time.Time { return now }
			limiter := func() *weir.Limiter {
				store := weir.NewMemoryStore(weir.MemoryOptions{Clock: clock})
				t.Cleanup(func() { store.Close() })
				l, err := weir.New(weir.PerHour(5), weir.WithAlgorithm(a), weir.WithStore(store))
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			l, ctx := limiter(), context.Background()
			var receipts []weir.Result
			for range 5 {
				r, err := l.Allow(ctx, "k")
				if err != nil || !r.Allowed {
					t.Fatal(r, err)
				}
				receipts = append(receipts, r)
			}
			if err := l.Reset(ctx, "k"); err != nil {
				t.Fatal(err)
			}
			now = now.Add(time.Second)
			restarted := limiter()
			for range 5 {
				l.Allow(ctx, "k")
				restarted.Allow(ctx, "k")
			}
			for _, r := range receipts {
				for name, l := range map[string]*weir.Limiter{"after a reset": l, "after a restart": restarted} {
					if gave, _ := l.Refund(ctx, "k", 1, r); gave {
						t.Errorf("%s an old receipt gave back what others took", name)
					}
				}
			}
		})
	}
}
