package trail

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// As long as there are few callers everything about them is exact.
func TestFewCallersAreExact(t *testing.T) {
	trail, limit := New(), perMinute(t, 5)
	asks := []struct {
		identity string
		second   int
		allowed  bool
		times    int
	}{
		{"ip:a", 0, true, 5}, {"ip:a", 30, false, 3}, {"ip:a", 60, true, 2},
		{"ip:b", 10, true, 4}, {"ip:c", 20, true, 1},
	}
	for _, a := range asks {
		for range a.times {
			trail.Decided(&Request{}, decided(check(limit, a.identity), a.allowed, noon.Add(time.Duration(a.second)*time.Second)))
		}
	}
	got := trail.Callers("edge", "min", Heaviest)
	if got.Distinct != 3 || !got.Exact || got.Missed != 0 || got.Unseen != 0 || got.Span != leastSpan {
		t.Errorf("%+v", got)
	}
	want := []Caller{
		{Identity: "ip:a", Asked: 10, Refused: 3, Peak: 8},
		{Identity: "ip:b", Asked: 4, Peak: 4},
		{Identity: "ip:c", Asked: 1, Peak: 1},
	}
	for i, w := range want {
		g := got.List[i]
		if g.Identity != w.Identity || g.Asked != w.Asked || g.Over != 0 || g.Refused != w.Refused || g.Peak != w.Peak {
			t.Errorf("%d: %+v, want %+v", i, g, w)
		}
		if trail.Named("edge", g.Ref) != g.Identity || trail.Named("other", g.Ref) != "" {
			t.Errorf("%s is not named by %s", g.Identity, g.Ref)
		}
	}
	refused := trail.Callers("edge", "min", MostRefused)
	if len(refused.List) != 1 || refused.List[0].Refused != 3 {
		t.Errorf("%+v", refused.List)
	}
	if trail.Callers("edge", "hour", Heaviest) != nil {
		t.Error("there are callers of a limit that nobody asked")
	}
}

// An identity too long to be kept whole would name another caller: its ref names
// nobody.
func TestRefOfWhatIsNotWhole(t *testing.T) {
	trail, limit := New(), perMinute(t, 5)
	whole, cut := strings.Repeat("a", maxText), strings.Repeat("b", maxText+1)
	for identity, want := range map[string]string{whole: whole, cut: ""} {
		trail.Decided(&Request{}, decided(check(limit, identity), true, noon))
		ref := trail.Ref(identity)
		if got := trail.Named("edge", ref); got != want || !IsRef(ref) {
			t.Errorf("%d bytes: %s names %q", len(identity), ref, got)
		}
	}
	for _, text := range []string{"", "~", "~123456789012345", "123456789abcdef01", "~g234567890123456", "~12345678901234567"} {
		if IsRef(text) {
			t.Errorf("%q is a ref", text)
		}
	}
}

// Two generations are told, and the third forgets; none cuts a period in two.
func TestCallersAreForgotten(t *testing.T) {
	trail, limit := New(), perMinute(t, 5)
	trail.Tick(noon)
	ask := func() {
		trail.Decided(&Request{}, decided(check(limit, "ip:a"), false, noon))
	}
	ask()
	trail.Tick(noon)
	for i, want := range []int64{1, 2, 2} { // an ask before each
		for _, by := range []Order{Heaviest, MostRefused} {
			if got := trail.Callers("edge", "min", by); len(got.List) != 1 || got.List[0].Refused != want {
				t.Errorf("span %d: %+v", i, got.List)
			}
		}
		trail.Tick(noon.Add(time.Duration(i+1) * leastSpan))
		ask()
	}
	for _, c := range []struct{ period, span time.Duration }{
		{time.Second, leastSpan}, {time.Minute, leastSpan}, {7 * time.Second, 301 * time.Second}, {time.Hour, time.Hour},
	} {
		if got := spanOf(c.period); got != c.span {
			t.Errorf("%v: %v, want %v", c.period, got, c.span)
		}
	}
}

// The promises of the sketch on a skewed stream with far more callers than
// counters: nobody's count is too small, nor too large by more than it says, and
// whoever is missing asked no more than Unseen.
func TestManyCallersWithinTheStatedError(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 1, 50_000)
	asked := map[string]int64{}
	for range 200_000 {
		identity := addressOf(int(zipf.Uint64()))
		asked[identity]++
		c := check(limit, identity)
		trail.checked(&c, &weir.Result{Allowed: true, Limit: 100, Remaining: 1, At: noon.UnixMicro()})
	}
	got := trail.Callers("edge", "min", Heaviest)
	listed := map[string]bool{}
	for _, c := range got.List {
		listed[c.Identity] = true
		if true := asked[c.Identity]; c.Asked < true || c.Asked-c.Over > true || c.Peak > true || c.Peak < true-got.Unseen {
			t.Errorf("%s asked %d: %+v", c.Identity, true, c)
		}
		if c.Over > 200_000/32 {
			t.Errorf("%s may be wrong by %d", c.Identity, c.Over)
		}
	}
	for identity, n := range asked {
		if !listed[identity] && n > got.Unseen {
			t.Errorf("%s is missing and asked %d; unseen is %d", identity, n, got.Unseen)
		}
	}
	if distinct := int64(len(asked)); got.Exact || got.Distinct < distinct*9/10 || got.Distinct > distinct*11/10 {
		t.Errorf("%d callers, exact %v; there were %d", got.Distinct, got.Exact, distinct)
	}
	heaviest := addressOf(0)
	if got.List[0].Identity != heaviest {
		t.Errorf("the heaviest is %+v, want %s with %d", got.List[0], heaviest, asked[heaviest])
	}
}

// 200,000 callers, refused and not, take no more memory than the first few
// thousand.
func TestMemoryDoesNotGrowWithCallers(t *testing.T) {
	trail, limit := New(), perMinute(t, 100)
	ask := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			if i%500 == 0 {
				trail.refill()
			}
			trail.Decided(&Request{Path: "/"}, decided(check(limit, addressOf(i)), i%2 == 0, noon))
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := ask(0, 20_000)
	if after := ask(20_000, 200_000); after > before+1<<20 {
		t.Errorf("20,000 callers take %d bytes, 200,000 take %d", before, after)
	}
	got := trail.Callers("edge", "min", MostRefused)
	if len(got.List) > refusedCounters || len(*trail.meters.Load()) != 1 {
		t.Errorf("%d callers, %d limits", len(got.List), len(*trail.meters.Load()))
	}
}
