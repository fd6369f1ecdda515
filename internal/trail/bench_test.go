package trail

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// layered is a decision of three layers.
func layered(t testing.TB, identity string) *weir.Decision {
	limit := perMinute(t, 1<<40)
	var checks []weir.Check
	results := make([]weir.Result, 3)
	for i, layer := range []string{"edge", "gateway", "endpoint"} {
		c := check(limit, identity)
		c.Key.Layer = layer
		checks = append(checks, c)
		results[i] = weir.Result{Allowed: true, Charged: true, Limit: 1 << 40, Remaining: 1 << 39, At: noon.UnixMicro()}
	}
	d := weir.Decide(weir.NewID(), checks, results)
	return &d
}

// What is only counted allocates nothing.
func TestCountingDoesNotAllocate(t *testing.T) {
	trail := New()
	d, r := layered(t, "ip:203.0.113.7"), &Request{Method: "GET", Path: "/search"}
	trail.Decided(r, d)
	trail.mayAdmit.Store(0)
	trail.mayRefuse.Store(0)
	if n := testing.AllocsPerRun(1000, func() { trail.Decided(r, d) }); n != 0 {
		t.Errorf("a decision: %v allocations", n)
	}
	one := decided(check(perMinute(t, 1), "ip:203.0.113.7"), false, noon)
	trail.DecidedEach(one.Checks, one.Results)
	if n := testing.AllocsPerRun(1000, func() { trail.DecidedEach(one.Checks, one.Results) }); n != 0 {
		t.Errorf("a refusal of a pipeline: %v allocations", n)
	}
}

// BenchmarkDecided is what a decision costs more, once the second has kept its
// share: of one limit, of three, and in a pipeline of 32.
func BenchmarkDecided(b *testing.B) {
	three, r := layered(b, "ip:203.0.113.7"), &Request{Method: "GET", Path: "/search"}
	crowd := make([]*weir.Decision, 1<<12)
	limit := perMinute(b, 100)
	for i := range crowd {
		crowd[i] = decided(check(limit, addressOf(i)), true, noon.Add(time.Duration(i)*time.Millisecond))
	}
	full := func(b *testing.B) *Trail {
		t := New()
		t.mayAdmit.Store(0)
		b.ReportAllocs()
		return t
	}
	b.Run("one", func(b *testing.B) {
		t := full(b)
		for b.Loop() {
			t.Decided(r, crowd[0])
		}
	})
	b.Run("three", func(b *testing.B) {
		t := full(b)
		for b.Loop() {
			t.Decided(r, three)
		}
	})
	b.Run("one of many callers", func(b *testing.B) {
		t := full(b)
		for i := 0; b.Loop(); i++ {
			t.Decided(r, crowd[i&(len(crowd)-1)])
		}
	})
	b.Run("one, in parallel", func(b *testing.B) {
		t := full(b)
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				t.Decided(r, crowd[i&255])
			}
		})
	})
	b.Run("kept", func(b *testing.B) {
		t := full(b)
		for b.Loop() {
			t.mayAdmit.Store(1)
			t.Decided(r, three)
		}
	})
	b.Run("pipeline", func(b *testing.B) {
		t := full(b)
		checks, results := make([]weir.Check, 32), make([]weir.Result, 32)
		for i := range checks {
			checks[i], results[i] = crowd[i].Checks[0], crowd[i].Results[0]
		}
		for b.Loop() {
			t.DecidedEach(checks, results)
		}
	})
}
