package redisstore

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// denials are requests that were refused a moment ago, each in the one slot that
// its keys and costs lead to: the newest stays. Nothing is locked and nothing swept;
// what is too old is not used.
//
// A key also has a generation, which it shares with the few that lead to the same.
// What was asked before this process last changed the key is not used, even where
// the answer arrives later.
type denials struct {
	most        time.Duration
	now         func() time.Duration // since some instant, on a monotonic clock
	seed        maphash.Seed
	slots       [denialSlots]atomic.Pointer[denial]
	generations [denialSlots]atomic.Uint64
	hits        atomic.Int64
}

// What bounds the memory: half a kilobyte for each check of a refused request with
// a usual key, so 8 MB where requests have one. Eight checks with the longest keys
// each would make it 100 MB.
const (
	denialSlots   = 1 << 14
	denialChecks  = 8
	denialKeySize = 512
)

func newDenials(most time.Duration, now func() time.Duration) *denials {
	return &denials{most: most, now: now, seed: maphash.MakeSeed()}
}

// question is a request as it is sent.
type question struct {
	sent       time.Duration
	generation uint64
}

// ask is called before a request is sent. A nil *denials remembers nothing.
func (d *denials) ask(checks []weir.Check) question {
	if d == nil {
		return question{}
	}
	_, generation := d.place(checks)
	return question{d.now(), generation}
}

// place is the slot of a request, and the sum of its keys' generations: each only
// grows.
func (d *denials) place(checks []weir.Check) (slot *atomic.Pointer[denial], generation uint64) {
	where := uint64(0)
	for i := range checks {
		hash := d.hash(&checks[i].Key)
		generation += d.generations[hash%denialSlots].Load()
		where = bits.RotateLeft64(where, 5) ^ hash + uint64(checks[i].Cost)
	}
	return &d.slots[where%denialSlots], generation
}

func (d *denials) hash(k *weir.Key) uint64 { return hashKey(d.seed, k) }

// refuse answers a request that is known to be refused.
func (d *denials) refuse(checks []weir.Check, results []weir.Result) bool {
	if d == nil || !onlyPasses(checks) {
		return false
	}
	slot, generation := d.place(checks)
	e := slot.Load()
	if e == nil || e.generation != generation || !e.isOf(checks) {
		return false
	}
	now := d.now()
	if passed := now - e.sent; now < e.arrived || passed > d.most || !e.stands(passed) {
		return false
	}
	e.answer(now-e.arrived, checks, results)
	d.hits.Add(1)
	return true
}

// learn is told what a request got, and the states that it left.
func (d *denials) learn(q question, checks []weir.Check, results []weir.Result, states []algorithm.State) {
	if d == nil {
		return
	}
	refused, charged := false, false
	for i := range results[:len(checks)] {
		refused = refused || !results[i].Allowed
		if results[i].Charged {
			charged = true
			d.forget(&checks[i].Key)
		}
	}
	if refused && !charged && onlyPasses(checks) && foreseeable(checks, results) {
		slot, _ := d.place(checks)
		slot.Store(newDenial(q, d.now(), checks, results, states))
	}
}

// forget is told that this process has changed a key.
func (d *denials) forget(k *weir.Key) {
	if d != nil {
		d.generations[d.hash(k)%denialSlots].Add(1)
	}
}

func (d *denials) forgetAll() {
	if d == nil {
		return
	}
	for i := range d.generations {
		d.generations[i].Add(1)
	}
}
