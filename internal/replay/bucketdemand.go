package replay

import (
	"math/bits"

	"github.com/weirhq/weir/internal/algorithm"
)

// bucketDemand follows a caller of a token bucket or of GCRA, whose level leaks
// at the rate that is looked for: no one state is right for all counts.
//
// The level after a request is the greatest, over every earlier request k, of
// what came from k on less what has leaked since. With y the costs so far, k is
// the point (time of k, y before k), and the least rate that admits the request
// is the steepest slope from a point to the request. The steepest touches the
// lower convex hull of the points, and only where the hull is steeper than the
// need so far, which leaves a handful of corners.
type bucketDemand struct {
	limit   *algorithm.Limit
	corners []point // of the hull, from left to right
	at      point   // of the last request, which is not in corners yet
	begun   bool
	sum     int64 // costs until now
	need    int64
}

type point struct{ x, y int64 } // µs, requests

// maxCorners bounds the hull. A caller beyond it has a rate that rises in more
// steps than this without a pause; its oldest are forgotten, and its need may come
// out lower than it is.
const maxCorners = 512

func (d *bucketDemand) add(now, cost int64) int64 {
	if d.begun {
		d.push(d.at)
	}
	d.begun = true
	d.at = point{now, d.sum}
	d.sum += cost
	need := d.steepest(d.at, now, cost)
	for _, c := range d.corners {
		need = max(need, d.steepest(c, now, d.sum-c.y))
	}
	if need > d.need {
		d.need = need
	}
	return need
}

// steepest is the least count that admits n requests from c until now.
func (d *bucketDemand) steepest(c point, now, n int64) int64 {
	w, since := d.limit.Period, now-c.x
	if d.limit.Burst == d.limit.Count { // n − since·L/W ≤ L
		return mulDivCeil(n, w, w+since)
	}
	switch over := n - d.limit.Burst; { // n − since·L/W ≤ B
	case over <= 0:
		return 1
	case since == 0:
		return noCount
	default:
		return mulDivCeil(over, w, since)
	}
}

// push makes c the rightmost corner.
func (d *bucketDemand) push(c point) {
	n := len(d.corners)
	if n > 0 && d.corners[n-1].x == c.x {
		return // the lower of two at one instant is the corner
	}
	for n >= 2 && !steeper(d.corners[n-2], d.corners[n-1], c) {
		n--
	}
	d.corners = append(d.corners[:n], c)
	first := 0
	for first+1 < len(d.corners) && d.flat(d.corners[first], d.corners[first+1]) {
		first++
	}
	if len(d.corners)-first > maxCorners {
		first++
	}
	d.corners = d.corners[:copy(d.corners, d.corners[first:])]
}

// flat reports whether from a to b no more came than the need leaks: then b is
// the better corner for every count that is still of interest.
func (d *bucketDemand) flat(a, b point) bool {
	if d.need == noCount {
		return true
	}
	return compareProducts(b.y-a.y, d.limit.Period, d.need, b.x-a.x) <= 0
}

// before puts the caller's level at l into a state: that of a bucket which was
// empty before the corner where l is steepest, and has leaked since.
func (d *bucketDemand) before(l *algorithm.Limit, now int64) step {
	best := -1
	for i, c := range d.corners {
		if best < 0 || compareProducts(c.y-d.corners[best].y, l.Period, l.Count, c.x-d.corners[best].x) <= 0 {
			best = i
		}
	}
	if best < 0 {
		return step{}
	}
	c := d.corners[best]
	held := d.at.y - c.y
	open, err := algorithm.Compile(l.Kind, l.Count, l.Period, held+1)
	if err != nil {
		return step{} // beyond what a limit can represent
	}
	state, _ := open.Take(algorithm.State{}, c.x, held)
	// A take and its refund leave what has leaked until now.
	state, _ = open.Take(state, now, 1)
	state, _ = open.Refund(state, now, open.Charged(state, now, 1))
	return step{state: state}
}

// steeper reports whether the way from b to c is steeper than that from a to b.
func steeper(a, b, c point) bool {
	return compareProducts(c.y-b.y, b.x-a.x, b.y-a.y, c.x-b.x) > 0
}

// compareProducts compares a·b with c·d, all ≥ 0.
func compareProducts(a, b, c, d int64) int {
	h1, l1 := bits.Mul64(uint64(a), uint64(b))
	h2, l2 := bits.Mul64(uint64(c), uint64(d))
	switch {
	case h1 > h2 || h1 == h2 && l1 > l2:
		return 1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return -1
}

// mulDivCeil is a·b/c rounded up, or noCount where that is above any count.
func mulDivCeil(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return noCount
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	if r > 0 {
		q++
	}
	if q >= noCount {
		return noCount
	}
	return int64(q)
}
