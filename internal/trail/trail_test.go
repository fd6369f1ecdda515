package trail

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A flood of admissions does not push refusals out, and each is found by its id.
func TestRefusalsOutliveAdmissions(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	refused := decided(check(limit, "ip:203.0.113.7"), false, noon)
	trail.Decided(&Request{Method: "GET", Path: "/search"}, refused)
	var last *weir.Decision
	for range 3 * keptAdmitted {
		last = decided(check(limit, "ip:203.0.113.8"), true, noon)
		trail.refill()
		trail.Decided(&Request{}, last)
	}
	k := trail.Decision(refused.ID)
	if k == nil || k.Allowed || k.Request.Path != "/search" || k.Checks[0].Key.Identity != "ip:203.0.113.7" || k.Results[0].RetryAfter != time.Second {
		t.Fatalf("%+v", k)
	}
	if trail.Decision(last.ID) == nil {
		t.Error("the last admission is not remembered")
	}
	if got := trail.Refusals(5); len(got) != 1 || got[0] != k {
		t.Errorf("refusals are %v", got)
	}
	if n := len(trail.Admissions(1 << 20)); n != keptAdmitted {
		t.Errorf("%d admissions are kept, want %d", n, keptAdmitted)
	}
}

// What is kept has a bound in bytes too, whatever a request is made of.
func TestDecisionsAreBoundedInBytes(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	long := strings.Repeat("x", 1<<16)
	for range 2 * keptRefused {
		trail.refill()
		c := check(limit, long)
		d := weir.Decide(weir.NewID(), make([]weir.Check, 0, 100), make([]weir.Result, 0, 100))
		for range 100 {
			d.Checks, d.Results = append(d.Checks, c), append(d.Results, weir.Result{Reason: weir.OverLimit})
		}
		d.Allowed = false
		trail.Decided(&Request{Method: long, Host: long, Path: long}, &d)
	}
	kept, bytes := trail.refused.last(1<<20), 0
	for _, k := range kept {
		bytes += k.bytes
		if len(k.Request.Path) > maxText+len("…") || len(k.Checks) > maxChecks {
			t.Fatalf("a path of %d bytes, %d checks", len(k.Request.Path), len(k.Checks))
		}
	}
	if bytes != trail.refused.bytes || bytes > keptBytes || bytes < keptBytes/2 {
		t.Errorf("%d records of %d bytes, counted as %d; at most %d", len(kept), bytes, trail.refused.bytes, keptBytes)
	}
}

// Beyond the second's share, decisions are counted and not kept.
func TestKeepingIsBoundedInTime(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	for range 3 * keptPerSecond {
		trail.Decided(&Request{}, decided(check(limit, "ip:203.0.113.7"), true, noon))
	}
	if n := len(trail.Admissions(1 << 20)); n != keptPerSecond {
		t.Errorf("%d are kept", n)
	}
	if tick := trail.newTick(noon); tick.Allowed != 3*keptPerSecond || tick.Limits[0].Allowed != 3*keptPerSecond {
		t.Errorf("%+v", tick)
	}
	trail.refill()
	one := decided(check(limit, "ip:203.0.113.7"), true, noon)
	if trail.Decided(&Request{}, one); trail.Decision(one.ID) == nil {
		t.Error("the next second keeps none")
	}
}

// A peek can be explained, and is no request.
func TestPeeksAreNotCounted(t *testing.T) {
	trail := New()
	c := check(perMinute(t, 1), "ip:203.0.113.7")
	c.Peek = true
	d := decided(c, false, noon)
	trail.Decided(&Request{}, d)
	if tick := trail.newTick(noon); tick.Refused != 0 || len(tick.Limits) != 0 || len(tick.Refusals) != 0 {
		t.Errorf("%+v", tick)
	}
	if trail.Decision(d.ID) == nil {
		t.Error("it is not remembered")
	}
}

// Nobody may choose how many limits there are: neither descriptors nor periods.
func TestLimitsAreBounded(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	for i := range 3 * maxLimits {
		c := check(limit, "ip:203.0.113.7")
		c.Key.Limit = addressOf(i)
		trail.Decided(&Request{}, decided(c, true, noon))
		c.Key.Layer, c.Key.Limit = adHoc, "gcra#"+addressOf(i)
		trail.Decided(&Request{}, decided(c, true, noon))
	}
	if n := len(*trail.meters.Load()); n != maxLimits {
		t.Errorf("%d limits", n)
	}
	sketched := 0
	for name, m := range *trail.meters.Load() {
		if m.callers != nil {
			sketched++
		}
		if name.layer == adHoc && name.limit != "gcra" {
			t.Errorf("a client named the limit %q", name.limit)
		}
	}
	if sketched != maxSketched {
		t.Errorf("%d limits with callers", sketched)
	}
	tick := trail.newTick(noon)
	if tick.Allowed != 6*maxLimits || len(tick.Limits) != limitsPerTick {
		t.Errorf("%d allowed, %d limits", tick.Allowed, len(tick.Limits))
	}
}

// Everything at once, for the race detector; nothing is lost from the sums.
func TestConcurrentUse(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	const goroutines, each = 8, 500
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				d := decided(check(limit, addressOf(i*g)), i%3 > 0, noon.Add(time.Duration(i)*time.Second))
				if g%2 == 0 {
					trail.Decided(&Request{Path: "/"}, d)
				} else {
					trail.DecidedEach(d.Checks, d.Results)
				}
				if i%50 == 0 {
					trail.Callers("edge", "min", MostRefused)
					trail.Decision(d.ID)
					trail.Named("edge", trail.Ref(addressOf(i)))
				}
			}
		})
	}
	sum := int64(0)
	_, next, stop, _ := trail.Listen()
	defer stop()
	for i := range 5 {
		trail.Tick(noon.Add(time.Duration(i) * time.Hour))
		tick := <-next
		sum += tick.Allowed + tick.Refused
	}
	all.Wait()
	trail.Tick(noon.Add(10 * time.Hour))
	tick := <-next
	if sum += tick.Allowed + tick.Refused; sum != goroutines*each {
		t.Errorf("%d of %d are counted", sum, goroutines*each)
	}
}
