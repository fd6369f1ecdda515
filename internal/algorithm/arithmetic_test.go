package algorithm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// edges are what the arithmetic must survive: the ends of the ranges and their
// neighbours.
var edges = []int64{0, 1, 2, 3, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 41, MaxPeriod - 1, MaxPeriod, 1 << 45, 1<<53 - 1, 1 << 53, math.MaxInt64 - 1, math.MaxInt64}

func TestArithmetic(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				for _, d := range edges {
					checkArithmetic(t, a, b, c, d)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() int64 { return rng.Int64() >> rng.IntN(63) }
	for range 50_000 {
		checkArithmetic(t, word(), word(), word(), word())
	}
}

// checkArithmetic compares all three functions with big.Int, for any values ≥ 0.
func checkArithmetic(t *testing.T, a, b, c, d int64) {
	t.Helper()
	product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	other := new(big.Int).Mul(big.NewInt(c), big.NewInt(d))
	if got, want := productAtMost(a, b, c, d), product.Cmp(other) <= 0; got != want {
		t.Fatalf("productAtMost(%d, %d, %d, %d) = %v", a, b, c, d, got)
	}
	if c == 0 {
		return
	}
	quotient, rest := new(big.Int).QuoRem(product, big.NewInt(c), new(big.Int))
	want := d
	if quotient.Cmp(big.NewInt(d)) < 0 {
		want = quotient.Int64()
	}
	if got := mulDivFloor(a, b, c, d); got != want {
		t.Fatalf("mulDivFloor(%d, %d, %d, %d) = %d, not %d", a, b, c, d, got, want)
	}
	quotient, rest = new(big.Int).QuoRem(product.Add(product, big.NewInt(d)), big.NewInt(c), rest)
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	if quotient.IsInt64() {
		if got := mulAddDivCeil(a, b, d, c); got != quotient.Int64() {
			t.Fatalf("mulAddDivCeil(%d, %d, %d, %d) = %d, not %s", a, b, d, c, got, quotient)
		}
	}
}

// The log's memory follows what it holds, and not the limit (B23).
func TestLogMemoryFollowsUse(t *testing.T) {
	l, err := Compile(SlidingLog, 1_000_000, 60_000_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	var g Log
	g.Take(&l, 0, 1)
	if len(g.ring) > 4 {
		t.Errorf("a ring of %d for one entry", len(g.ring))
	}
	for now := range int64(1000) {
		g.Take(&l, now, 1)
	}
	if g.Len() != 1001 || len(g.ring) != 1024 {
		t.Errorf("%d entries in a ring of %d", g.Len(), len(g.ring))
	}
	g.Take(&l, 60_001_000, 1)
	if g.Len() != 1 || len(g.ring) > 16 {
		t.Errorf("%d entries in a ring of %d after all but one left", g.Len(), len(g.ring))
	}
}

// A steady log turns its ring round and round, in place.
func TestLogRingTurns(t *testing.T) {
	l, err := Compile(SlidingLog, 5, 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	var g Log
	for now := range int64(1000) {
		g.Take(&l, now, 1)
		if sum := sumOf(&g); sum != g.sum || g.Len() > 6 || len(g.ring) > 8 || g.head >= len(g.ring) {
			t.Fatalf("at %d: sum %d of %d, %d entries from %d in a ring of %d", now, g.sum, sum, g.Len(), g.head, len(g.ring))
		}
	}
}

func sumOf(g *Log) (sum int64) {
	for i := range g.size {
		sum += g.at(i).cost
	}
	return sum
}

func FuzzArithmetic(f *testing.F) {
	f.Add(int64(1)<<41, int64(1)<<45, int64(1)<<45, int64(1)<<53)
	f.Add(int64(3), int64(5), int64(7), int64(2))
	f.Fuzz(func(t *testing.T, a, b, c, d int64) {
		checkArithmetic(t, a&math.MaxInt64, b&math.MaxInt64, c&math.MaxInt64, d&math.MaxInt64)
	})
}
