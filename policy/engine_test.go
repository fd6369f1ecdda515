package policy

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// engine decides by policies that share one store, as replicas and reloads do.
type engine struct {
	t     *testing.T
	now   time.Time
	store *weir.MemoryStore
}

func newEngine(t *testing.T) *engine {
	e := &engine{t: t, now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	e.store = weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return e.now }})
	t.Cleanup(func() { e.store.Close() })
	return e
}

func (e *engine) decide(p *Policy, a Attributes) weir.Decision {
	e.t.Helper()
	a.Cost = max(a.Cost, 1)
	d, err := p.Decide(context.Background(), e.store, &a)
	if err != nil {
		e.t.Fatal(err)
	}
	return d
}

// admitted is how many of n such requests pass.
func (e *engine) admitted(p *Policy, n int, a Attributes) int {
	e.t.Helper()
	passed := 0
	for range n {
		if e.decide(p, a).Allowed {
			passed++
		}
	}
	return passed
}

func want(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d admitted, want %d", what, got, want)
	}
}

// refuser is the layer that refused.
func refuser(d weir.Decision) string {
	if d.Refused < 0 {
		return d.Denied
	}
	return d.Checks[d.Refused].Key.Layer
}

var (
	ip1 = netip.MustParseAddr("203.0.113.1")
	ip2 = netip.MustParseAddr("203.0.113.2")
)

// What the issue asks of the default: each layer apart, and the refusal says
// which.
func TestDefaultLayers(t *testing.T) {
	for _, c := range []struct {
		name  string
		a     Attributes
		limit int
		layer string
	}{
		{"edge", Attributes{IP: ip1, Path: "/"}, 1000, "edge"},
		{"gateway", Attributes{IP: ip1, Path: "/", Header: key("k")}, 60, "gateway"},
		{"search", Attributes{IP: ip1, Path: "/search", Header: key("k")}, 10, "endpoint"},
		{"search without a key", Attributes{IP: ip1, Path: "/search"}, 10, "endpoint"},
		{"search by any method", Attributes{IP: ip1, Method: "DELETE", Path: "/search"}, 10, "endpoint"},
		{"export", Attributes{IP: ip1, Path: "/export", Header: key("k")}, 5, "endpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t)
			want(t, "at one instant", e.admitted(Default(), c.limit, c.a), c.limit)
			d := e.decide(Default(), c.a)
			if d.Allowed || refuser(d) != c.layer {
				t.Errorf("%d more: %+v refused by %q, want %q", c.limit, d, refuser(d), c.layer)
			}
			e.now = e.now.Add(d.RetryAfter)
			if !e.decide(Default(), c.a).Allowed {
				t.Errorf("refused after waiting %s", d.RetryAfter)
			}
		})
	}
}

// The layers of the default do not touch each other's states.
func TestDefaultLayersAreApart(t *testing.T) {
	e := newEngine(t)
	search, other := Attributes{IP: ip1, Path: "/search", Header: key("k")}, Attributes{IP: ip1, Path: "/", Header: key("k")}
	want(t, "search", e.admitted(Default(), 30, search), 10)
	export := search
	export.Path = "/export"
	want(t, "export", e.admitted(Default(), 30, export), 5)
	// Layers before the refusal are charged: 30 and 30 of the gateway's 60.
	want(t, "others", e.admitted(Default(), 100, other), 0)
	other.Header = key("k2")
	want(t, "another key", e.admitted(Default(), 100, other), 60)
}

const plansFile = `
plans: {anonymous: 20/min, free: 60/min, pro: 600/min}
clients: {plan: {k-free: free, k-pro: pro, k-pro2: pro}, unknown: anonymous, missing: anonymous}
layers:
  - {name: edge, by: ip, limit: 1000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, algorithm: sliding-counter}
`
