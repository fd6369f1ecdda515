//go:build !race

package policy

import (
	"context"
	"testing"

	"github.com/weirhq/weir"
)

// Under the race detector a sync.Pool forgets at random, to show who relies on it.

// Resolve makes nothing but the identities: two for a caller with a key.
func TestResolveAllocations(t *testing.T) {
	checks := make([]weir.Check, 0, 8)
	for _, c := range []struct {
		name string
		a    Attributes
		p    *Policy
		want float64
	}{
		{"key", Attributes{IP: ip1, Method: "GET", Host: "h", Path: "/search", Header: key("k"), Cost: 1}, Default(), 2},
		{"no key", Attributes{IP: ip1, Method: "GET", Host: "h", Path: "/search", Cost: 1}, Default(), 1},
		{"listed key", Attributes{IP: ip1, Header: key("k-pro"), Cost: 1}, mustCompile(t, plansFile), 1},
		{"no route", Attributes{Path: "/users/7/orders", Cost: 1}, mustCompile(t, "layers: [{name: a, by: [ip, route], routes: {/users/: unlimited, \"/users/{id}\": 1/s}}]"), 0},
	} {
		got := testing.AllocsPerRun(100, func() { checks, _ = c.p.Resolve(&c.a, checks[:0]) })
		if got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
}

// With room a decision in memory takes what Resolve does.
func TestDecideAllocations(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	p := Default()
	a := Attributes{IP: ip1, Method: "GET", Host: "h", Path: "/search", Header: key("k"), Cost: 1, Room: new(Room)}
	if got := testing.AllocsPerRun(100, func() { p.Decide(context.Background(), store, &a) }); got != 2 {
		t.Errorf("%v allocations, want 2", got)
	}
}
