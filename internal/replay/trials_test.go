package replay

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// call is one request of a random caller.
type call struct{ at, cost int64 }

// traffic is bursts and pauses on the scale of a period.
func traffic(random *rand.Rand, period int64) (calls []call) {
	now := 1_700_000_000_000_000 + random.Int64N(period)
	grain := []int64{1, 1000, 1_000_000}[random.IntN(3)]
	for range 5 + random.IntN(60) {
		switch random.IntN(8) {
		case 0:
			now += random.Int64N(3 * period)
		case 1, 2:
			now += random.Int64N(period/8 + 1)
		case 3, 4, 5:
			now += random.Int64N(period/100 + 1)
		}
		cost := int64(1)
		if random.IntN(6) == 0 {
			cost = 1 + random.Int64N(4)
		}
		calls = append(calls, call{now / grain * grain, cost})
	}
	return calls
}

// refusals is what the algorithm itself refuses at a limit.
func refusals(l *algorithm.Limit, calls []call) (refused int64) {
	var s step
	if l.Kind == algorithm.SlidingLog {
		s.log = new(algorithm.Log)
	}
	for _, c := range calls {
		admitted := false
		if s.log != nil {
			admitted = s.log.Take(l, c.at, c.cost)
		} else {
			s.state, admitted = l.Take(s.state, c.at, c.cost)
		}
		if !admitted {
			s.refused++
		}
	}
	return s.refused
}

// A need is the least count that refuses nothing, and a step of the ladder refuses
// what the algorithm refuses there, for every algorithm and for a burst of its own.
func TestTrialsAreWhatTheAlgorithmsDo(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for round := range 3000 {
		kind := algorithm.Kind(round % 5)
		period := []int64{1_000_000, 60_000_000, 3_600_000_000, 7_777_777}[random.IntN(4)]
		burst := int64(0)
		if isBucket(kind) && random.IntN(2) == 0 {
			burst = 1 + random.Int64N(20)
		}
		limit, err := algorithm.Compile(kind, 30, period, burst)
		if err != nil {
			t.Fatal(err)
		}
		calls := traffic(random, period)
		trials := newTrials(&limit)
		got := trials.meet()
		got.row = &row{trials: trials}
		var held backlog
		for i, c := range calls {
			held.add(got, c.at, c.cost)
			if i%7 == round%7 {
				held.settle()
			}
		}
		held.settle()
		least := int64(1 + sort.Search(10_000_000, func(i int) bool {
			l, err := atCount(&limit, int64(i+1))
			return err == nil && refusals(&l, calls) == 0
		}))
		if least > 10_000_000 {
			least = noCount
		}
		if got.need != least && !(got.need > 10_000_000 && least == noCount) {
			t.Fatalf("round %d, %+v: the need is %d, want %d, of %v", round, limit, got.need, least, calls)
		}
		for i := range trials.ladder {
			l := &trials.ladder[i]
			want, has := refusals(l, calls), int64(0)
			if i < len(got.steps) {
				has = got.steps[i].refused
			}
			if has != want {
				t.Fatalf("round %d: at %+v %d are refused, want %d, of %v", round, *l, has, want, calls)
			}
		}
	}
}

// Bounded: what is remembered of a caller does not grow with its requests, and
// where it is thinned the need errs to the side that is said.
func TestTrialsAreBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	const period = 60_000_000
	for _, kind := range []algorithm.Kind{algorithm.SlidingLog, algorithm.GCRA} {
		limit, err := algorithm.Compile(kind, 100, period, 0)
		if err != nil {
			t.Fatal(err)
		}
		d := newTrials(&limit).meet().demand
		var calls []call
		need, now := int64(0), int64(1_700_000_000_000_000)
		for range 20_000 {
			now += 1 + random.Int64N(20_000)
			calls = append(calls, call{now, 1})
			need = max(need, d.add(now, 1))
		}
		switch d := d.(type) {
		case *logDemand:
			if len(d.instants) > maxInstants+2 {
				t.Errorf("%d instants", len(d.instants))
			}
			l, _ := atCount(&limit, need)
			if refusals(&l, calls) != 0 {
				t.Errorf("a need of %d is too low", need)
			}
			if l, _ := atCount(&limit, need*99/100); refusals(&l, calls) == 0 {
				t.Errorf("a need of %d is more than a hundredth too high", need)
			}
		case *bucketDemand:
			if len(d.corners) > 64 {
				t.Errorf("%d corners for steady traffic", len(d.corners))
			}
		}
	}
}

// The suggested count, put into the configuration, refuses at most the share of
// callers that it was suggested for, and one less refuses more.
func TestSuggestionsHoldWhenReplayed(t *testing.T) {
	for _, kind := range []string{"gcra", "token-bucket", "fixed-window", "sliding-log", "sliding-counter"} {
		t.Run(kind, func(t *testing.T) {
			config := func(n int64) string {
				return fmt.Sprintf("layers: [{name: edge, by: ip, limit: %d/min, algorithm: %s}]", n, kind)
			}
			first := file(t, config(50), "nginx_api_9days.log.gz")
			for i, share := range shares {
				suggested := first.Layers[0].Suggest[i]
				allowed := first.Callers / share.in
				if r := file(t, config(suggested), "nginx_api_9days.log.gz"); r.CallersRefused > allowed {
					t.Errorf("%s: %d/min refuses %d callers of %d", share.name, suggested, r.CallersRefused, r.Callers)
				}
				if r := file(t, config(suggested-1), "nginx_api_9days.log.gz"); r.CallersRefused <= allowed {
					t.Errorf("%s: %d/min would do, %d/min was suggested", share.name, suggested-1, suggested)
				}
			}
			for _, s := range first.Layers[0].Ladder {
				if s.Count != 3 && s.Count != 25 && s.Count != 100 {
					continue
				}
				r := file(t, config(s.Count), "nginx_api_9days.log.gz")
				if r.Refused != s.Refused || r.CallersRefused != s.CallersRefused {
					t.Errorf("%d/min refuses %d of %d callers, the ladder says %+v", s.Count, r.Refused, r.CallersRefused, s)
				}
			}
		})
	}
}

// A burst that refuses at any count leaves nothing to suggest.
func TestNoCountHelpsAgainstABurst(t *testing.T) {
	log := strings.Repeat(line("203.0.113.7", 0, "/"), 5)
	r := one(t, "layers: [{name: edge, by: ip, limit: {limit: 60/min, burst: 2}}]", log)
	if got, want := r.Layers[0].Suggest, (Shares{noCount, noCount, noCount}); got != want {
		t.Errorf("suggests %v", got)
	}
	if r.Refused != 3 {
		t.Errorf("%d refused, want 3", r.Refused)
	}
}
