package memory

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// Seats are the short way of what cells do: of any request, on keys that are there and
// keys that are not, both say the same and leave the same.
func TestSeatsDecideAsCellsDo(t *testing.T) {
	seats, cells := newTable(t, 1000), newTable(t, 1000)
	random := rand.New(rand.NewPCG(1, 2))
	limits := limitsOfAllKinds(t)
	var all []*algorithm.Limit // of each key, its own
	for n := range 20 {
		all = append(all, limits[n%len(limits)])
	}
	seated := 0
	for step := range 20_000 {
		ops := randomOps(random, all)
		a, b := Request{Ops: ops}, Request{Ops: append([]Op(nil), ops...)}
		seats.Take(&a)
		if cells.takeInCells(&b); a.now != b.now {
			t.Fatalf("step %d: decided at %d, not %d", step, a.now, b.now)
		}
		for i := range a.Ops {
			if got, want := told(a.Ops[i]), told(b.Ops[i]); got != want {
				t.Fatalf("step %d, op %d of %d, seated %t:\n%s, not\n%s", step, i, len(ops), a.seated, got, want)
			}
		}
		if a.seated && len(ops) > 1 {
			seated++
		}
		now := start + random.Int64N(int64(step+1)*second/5) // which is often earlier than before
		seats.now.Store(now)
		cells.now.Store(now)
		if random.IntN(200) == 0 { // a limit is changed
			all[random.IntN(len(all))] = all[random.IntN(len(all))]
		}
	}
	if seated < 2000 {
		t.Errorf("only %d requests were seated", seated)
	}
	for n, limit := range all {
		if got, want := told(seats.look(n, limit)), told(cells.look(n, limit)); got != want {
			t.Errorf("key %d is left as %s, not %s", n, got, want)
		}
	}
}

// takeInCells is Take without seats.
func (t *tableAt) takeInCells(r *Request) {
	r.lock(t.Table)
	defer r.unlock(t.Table)
	r.now = t.clock.now()
	r.takeInCells(t.Table)
}

func limitsOfAllKinds(t *testing.T) (all []*algorithm.Limit) {
	for _, kind := range kinds {
		all = append(all, compile(t, kind, 3, second), compile(t, kind, 10, minute))
	}
	all[4].CountAll = true
	large, err := algorithm.Compile(algorithm.GCRA, 1_000_003, minute, 4) // has no compact form
	if err != nil || large.CompactID() != 0 {
		t.Fatal(err, large)
	}
	return append(all, &large)
}

// randomOps are of one to four keys in some groups. Only independent ones share a key.
func randomOps(r *rand.Rand, limits []*algorithm.Limit) (ops []Op) {
	group, used := int32(0), map[int]bool{}
	for range 1 + r.IntN(4) {
		group += r.Int32N(2)
		n := r.IntN(len(limits))
		charging := Charging((group + int32(len(limits))) % 3)
		if used[n] && charging != Independent {
			continue
		}
		used[n] = true
		ops = append(ops, Op{
			Key: key(n), Limit: limits[n], Cost: r.Int64N(4), Group: group, Charging: charging,
			Shadow: group == 2, Peek: r.IntN(8) == 0,
		})
	}
	return ops
}

// told is what an op says that was decided.
func told(op Op) string {
	if !op.Charged {
		op.Charge = algorithm.Charge{}
	}
	return fmt.Sprint(op.Allowed, op.Charged, op.fate, op.Outcome, op.Charge)
}

func (t *tableAt) look(n int, l *algorithm.Limit) Op {
	op := Op{Key: key(n), Limit: l, Cost: 1, Peek: true}
	t.TakeOne(&op)
	return op
}
