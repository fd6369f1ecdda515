//go:build !race

package memory

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// The floods of docs/memory.md, against a table that holds everybody as control.
// Under 60/min with a burst of 10 a key that came once is remembered for T = 1 s.
const (
	slots    = 2048
	emission = second
	burst    = 10
)

func floodLimit(t *testing.T) *algorithm.Limit {
	t.Helper()
	l, err := algorithm.Compile(algorithm.GCRA, 60, minute, burst)
	if err != nil {
		t.Fatal(err)
	}
	return &l
}

// pair takes from a bounded table and from one that holds everybody, and counts.
type pair struct {
	bounded, control *tableAt
	limit            *algorithm.Limit
	admitted, due    int
}

func newPair(t *testing.T) *pair {
	return &pair{bounded: newTable(t, slots), control: newTable(t, 1<<20), limit: floodLimit(t)}
}

func (p *pair) take(n int) (admitted, due bool) {
	admitted = p.bounded.take(key(n), p.limit, 1).Allowed
	due = p.control.take(key(n), p.limit, 1).Allowed
	if admitted {
		p.admitted++
	}
	if due {
		p.due++
	}
	return admitted, due
}

func (p *pair) advance(d int64) {
	p.bounded.now.Add(d)
	p.control.now.Add(d)
}

// A flood of keys that come once each, up to five times as many as the table can
// remember, frees nobody who is over the limit and refuses nobody who is not.
func TestOneShotFlood(t *testing.T) {
	for _, times := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(times, " x N/T"), func(t *testing.T) {
			p, next, refused := newPair(t), 1_000_000, 0
			abuser := pair{bounded: p.bounded, control: p.control, limit: p.limit}
			const steps = 100 // of a second
			for step := range 30 * steps {
				for range times * slots / steps {
					if admitted, _ := p.take(next); !admitted {
						refused++
					}
					next++
				}
				abuser.take(-1) // 100/s
				if step%(steps*3/2) == 0 {
					for honest := range 50 { // 40/min
						if admitted, _ := p.take(honest); !admitted {
							refused++
						}
					}
				}
				p.advance(emission / steps)
			}
			if abuser.admitted != abuser.due {
				t.Errorf("%d of an abuser's calls passed, %d are due", abuser.admitted, abuser.due)
			}
			if refused != 0 {
				t.Errorf("%d honest calls of %d were refused", refused, p.due)
			}
		})
	}
}

// Whoever rotates through more keys than the table holds, spending each one's whole
// burst, ten times as fast as it can remember keys that come once, gets at most
// about twice what is due; and hardly anybody who comes for the first time is
// refused.
func TestRotatingAdversary(t *testing.T) {
	for _, keys := range []int{2, 4, 8, 16} { // times N
		t.Run(fmt.Sprint(keys, " x N keys"), func(t *testing.T) {
			p, random, refused, newcomers := newPair(t), rand.New(rand.NewPCG(1, 2)), 0, 0
			at := 0
			const seconds = 20
			for range 10 * slots * seconds / burst {
				for range burst {
					p.take(at % (keys * slots))
				}
				at++
				if random.IntN(100) == 0 {
					newcomers++
					if !p.bounded.take(key(10_000_000+newcomers), p.limit, 1).Allowed {
						refused++
					}
				}
				p.advance(emission * burst / (10 * slots))
			}
			ratio := float64(p.admitted) / float64(p.due)
			t.Logf("%d admitted, %d due: %.2f; %d of %d newcomers refused", p.admitted, p.due, ratio, refused, newcomers)
			if ratio > 2.2 {
				t.Errorf("%.2f times what is due passed", ratio)
			}
			if refused > 0 {
				t.Errorf("%d of %d newcomers were refused", refused, newcomers)
			}
		})
	}
}
