package algorithm

import "math/bits"

// The products here need up to 91 bits: 128-bit intermediates, never a float.

// mulDivFloor is floor(a·b/c) for a, b ≥ 0 and c > 0, or most if it is above.
func mulDivFloor(a, b, c, most int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, uint64(most)))
}

// mulAddDivCeil is ceil((a·b + add)/c) for a, b, add ≥ 0 and c > 0. The caller
// knows that the quotient fits an int64.
func mulAddDivCeil(a, b, add, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(add), 0)
	q, r := bits.Div64(hi+carry, lo, uint64(c))
	if r > 0 {
		q++
	}
	return int64(q)
}

// productAtMost reports whether a·b ≤ c·d, for values ≥ 0.
func productAtMost(a, b, c, d int64) bool {
	hi1, lo1 := bits.Mul64(uint64(a), uint64(b))
	hi2, lo2 := bits.Mul64(uint64(c), uint64(d))
	return hi1 < hi2 || hi1 == hi2 && lo1 <= lo2
}
