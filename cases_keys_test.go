package weir_test

import (
	"context"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A bucket's identity is its limit's name and nothing else: limits of equal
// values are apart, a shared one is one, and the order in which they are loaded
// means nothing.
func TestB31LimitsByName(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return t0 }})
		defer store.Close()
		load := func(names ...string) map[string]*weir.Limiter {
			limiters := map[string]*weir.Limiter{}
			for _, name := range names {
				limiters[name] = newLimiter(t, weir.PerHour(10), with(a), weir.WithName(name), weir.WithStore(store))
			}
			return limiters
		}
		first, second := load("R1", "R2", "S"), load("S", "R2", "R1")

		if got := passes(t, first["R1"], 11); got != 10 {
			t.Errorf("%d pass R1, want 10", got)
		}
		if got := passes(t, first["R2"], 1); got != 1 {
			t.Error("R2 shares with R1")
		}
		if got := passes(t, first["S"], 6) + passes(t, second["S"], 6); got != 10 {
			t.Errorf("%d pass S, shared by two, want 10", got)
		}
		for _, limiter := range []*weir.Limiter{first["R1"], first["R2"], first["S"]} {
			if err := limiter.Reset(context.Background(), who); err != nil {
				t.Fatal(err)
			}
		}
		if got := passes(t, first["R1"], 5) + passes(t, second["R1"], 6); got != 10 {
			t.Errorf("%d pass R1 on two replicas, want 10", got)
		}
	})
}

// Limiters of one name share a key's state whatever their rates, as after a
// change of the limit.
func TestB31NameOutlivesTheRate(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return t0 }})
		defer store.Close()
		old := newLimiter(t, weir.PerHour(10), with(a), weir.WithStore(store))
		raised := newLimiter(t, weir.PerHour(15), with(a), weir.WithStore(store))
		if got := passes(t, old, 10) + passes(t, raised, 10); got != 15 {
			t.Errorf("%d pass, want the 15 of the raised limit", got)
		}
	})
}
