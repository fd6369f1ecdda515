package replay

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// plotted is a plan of a few checks as it is put to a store.
type plotted struct {
	checks []weir.Check
	denied bool
}

// plot makes random layers over a few keys: of any algorithm, charging and cost,
// enforced or shadow, some with several limits.
func plot(random *rand.Rand) plotted {
	p := plotted{denied: random.IntN(8) == 0}
	for layer := range 1 + random.IntN(3) {
		group := &weir.Group{Charge: weir.Charging(random.IntN(3)), Shadow: random.IntN(4) == 0}
		for name := range 1 + random.IntN(2) {
			p.checks = append(p.checks, weir.Check{
				Key:   weir.Key{Layer: fmt.Sprint("layer", layer), Limit: fmt.Sprint("limit", name), Identity: fmt.Sprint("ip:", random.IntN(2))},
				Limit: limits[random.IntN(len(limits))], Cost: random.Int64N(3), Group: group,
			})
		}
	}
	return p
}

// limits of every kind; several of each, so that a key meets another of its kind.
var limits = func() (all []*weir.Limit) {
	for _, a := range []weir.Algorithm{weir.GCRA, weir.TokenBucket, weir.FixedWindow, weir.SlidingLog, weir.SlidingCounter} {
		for count := range int64(3) {
			all = append(all, must(weir.NewLimit(weir.Rate{Count: 4 * count, Period: time.Duration(1+count) * time.Second}, weir.WithAlgorithm(a))))
		}
	}
	return append(all, must(weir.NewLimit(weir.PerSecond(5), weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())))
}()

func must(l *weir.Limit, err error) *weir.Limit {
	if err != nil {
		panic(err)
	}
	return l
}

// A plan decides and charges as the store in memory does, whatever the layers.
func TestPlansDecideAsTheStoreDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for round := range 300 {
		now := int64(1_700_000_000_000_000)
		store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return time.UnixMicro(now) }})
		planner := newPlanner(compile(t, ""), newTally())
		var plots [4]plotted
		var plans [len(plots)]*plan
		for i := range plots {
			plots[i] = plot(random)
			denied := ""
			if plots[i].denied {
				denied = "because"
			}
			plans[i] = planner.compile(1, plots[i].checks, denied)
		}
		refused := 0
		for range 400 {
			now += random.Int64N(200_000)
			i := random.IntN(len(plots))
			want := taken(t, store, plots[i])
			if got := plans[i].decide(now); got != want.Allowed {
				t.Fatalf("round %d: allowed %v, want %v, of %+v", round, got, want.Allowed, plots[i])
			}
			for j := range want.Results {
				if got := plans[i].checks[j].allowed; got != want.Results[j].Allowed {
					t.Fatalf("round %d: check %d is allowed %v, want %v, of %+v", round, j, got, want.Results[j].Allowed, plots[i])
				}
			}
			if !want.Allowed {
				refused++
			}
		}
		if store.Close(); refused == 0 && round == 0 {
			t.Fatal("nothing is refused")
		}
	}
}

// taken is the store's decision on the checks, for which a refusal stands behind
// them where the request is denied, as the policy puts it.
func taken(t *testing.T, store weir.Store, p plotted) weir.Decision {
	t.Helper()
	checks := p.checks
	if p.denied {
		checks = append(checks[:len(checks):len(checks)], weir.Check{Key: weir.Key{Layer: "denied"}, Limit: limits[0], Cost: 1})
	}
	results := make([]weir.Result, len(checks))
	if err := store.Take(t.Context(), checks, results); err != nil {
		t.Fatal(err)
	}
	return weir.Decide(weir.NewID(), p.checks, results[:len(p.checks)])
}
