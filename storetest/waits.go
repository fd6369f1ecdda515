package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func testWaits(t *testing.T, newStore NewStore) {
	t.Run("one check", func(t *testing.T) { eachAlgorithm(t, newStore, testExactWaits) })
	t.Run("a request of several", func(t *testing.T) { testWaitOfRequest(newTrial(t, newStore)) })
}

// At any moment remaining passes and remaining + 1 does not. Whoever is refused
// and waits exactly RetryAfter passes, and a microsecond sooner does not. After
// ResetAfter the key is as good as new.
func testExactWaits(tr *trial, a weir.Algorithm) {
	r := randomness(tr)
	limit, key := limitOf(tr, weir.Per(10, 13*time.Second), weir.WithAlgorithm(a)), identity("a")
	for range rounds(100) {
		tr.pass(time.Duration(r.Int64N(int64(3 * time.Second))))
		left := tr.remaining(key, limit)
		if left > 0 && !tr.peek(key, limit, left).Allowed || tr.peek(key, limit, left+1).Allowed {
			tr.Fatalf("%s: %d remain, but %+v, %+v", tr.clock(), left, tr.peek(key, limit, left), tr.peek(key, limit, left+1))
		}
		n := 1 + r.Int64N(10)
		if refused := tr.take(key, limit, n); !refused.Allowed {
			tr.waitsOut(key, limit, n, refused)
		}
		if r.IntN(5) == 0 {
			tr.pass(tr.peek(key, limit, 1).ResetAfter)
			tr.wants(key, limit, 10, "after ResetAfter")
		}
	}
}

func (tr *trial) waitsOut(key weir.Key, limit *weir.Limit, n int64, refused weir.Result) {
	tr.Helper()
	tr.pass(refused.RetryAfter - time.Microsecond)
	if r := tr.peek(key, limit, n); r.Allowed || r.RetryAfter != time.Microsecond {
		tr.Fatalf("%d would pass a microsecond before RetryAfter: %+v, was %+v", n, r, refused)
	}
	tr.pass(time.Microsecond)
	if r := tr.take(key, limit, n); !r.Allowed {
		tr.Fatalf("%d waited for RetryAfter and was refused: %+v, was %+v", n, r, refused)
	}
}

// Whoever is refused by some of several limits, waits as long as the decision
// says and comes alone passes all of them, also after what the refused call has
// charged to some.
func testWaitOfRequest(tr *trial) {
	r := randomness(tr)
	for round := range rounds(20) {
		request := randomLayers(tr, r, fmt.Sprint(round))
		for range 40 {
			tr.pass(time.Duration(r.Int64N(int64(8 * time.Second))))
			d := tr.decide(request...)
			if d.Allowed {
				continue
			}
			if d.RetryAfter <= 0 || d.RetryAfter == weir.Never {
				tr.Fatalf("retry after %d: %+v", d.RetryAfter, d)
			}
			tr.pass(d.RetryAfter)
			if again := tr.decide(request...); !again.Allowed {
				tr.Fatalf("after %s: %+v, was %+v", d.RetryAfter, again.Results, d.Results)
			}
		}
	}
}

// randomLayers is a request of four groups, with a limit of each algorithm.
func randomLayers(tr *trial, r *rand.Rand, identity string) []weir.Check {
	groups := []*weir.Group{{}, {Charge: weir.Admitted}, {Charge: weir.Independent}, {Shadow: true}}
	var request []weir.Check
	for i, a := range weir.Algorithms() {
		request = append(request, weir.Check{
			Key:   weir.Key{Layer: "waits", Limit: a.String(), Identity: identity},
			Limit: limitOf(tr, weir.Per(3+r.Int64N(4), time.Duration(5+r.Int64N(20))*time.Second), weir.WithAlgorithm(a)),
			Cost:  1 + r.Int64N(3),
			Group: groups[min(i, len(groups)-1)],
		})
	}
	return request
}
