package algorithm_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

func TestCompile(t *testing.T) {
	const day = 24 * 3600 * second
	for _, c := range []struct {
		name                 string
		kind                 algorithm.Kind
		count, period, burst int64
		num, den, capacity   int64
	}{
		{"lowest terms", algorithm.GCRA, 60, 60 * second, 0, 1, second, 60},
		{"a prime", algorithm.TokenBucket, 999_983, day, 0, 999_983, day, 999_983},
		{"more than one per µs", algorithm.GCRA, 1e9, second, 10, 1000, 1, 10},
		{"one per year", algorithm.GCRA, 1, 365 * day, 0, 1, 365 * day, 1},
		{"the largest count", algorithm.GCRA, algorithm.MaxBucketCount, 1, 1, algorithm.MaxBucketCount, 1, 1},
		{"the largest burst", algorithm.GCRA, 1, 1, algorithm.MaxBurst, 1, 1, algorithm.MaxBurst},
		{"blocked", algorithm.GCRA, 0, second, 0, 0, 0, 0},
		{"a window's burst may be its count", algorithm.FixedWindow, 5, second, 5, 1, 200_000, 5},
		{"2^53", algorithm.FixedWindow, 1 << 53, 1, 0, 1 << 53, 1, 1 << 53},
	} {
		l, err := algorithm.Compile(c.kind, c.count, c.period, c.burst)
		if err != nil || l.Num != c.num || l.Den != c.den || l.Burst != c.capacity || l.Count != c.count || l.Period != c.period || l.Kind != c.kind {
			t.Errorf("%s: %+v, %v", c.name, l, err)
		}
	}
}

// What cannot be represented is refused when it is loaded, and told the range.
func TestCompileRefuses(t *testing.T) {
	const hour = 3600 * second
	for _, c := range []struct {
		name                 string
		kind                 algorithm.Kind
		count, period, burst int64
		want                 string
	}{
		{"no period", algorithm.GCRA, 1, 0, 0, "period 0 µs is outside 1 to 35164800000000 µs"},
		{"a negative period", algorithm.GCRA, 1, -1, 0, "period -1 µs is outside 1 to 35164800000000 µs"},
		{"408 days", algorithm.FixedWindow, 1, 408 * 24 * hour, 0, "period 35251200000000 µs is outside 1 to 35164800000000 µs"},
		{"a negative count", algorithm.SlidingLog, -1, hour, 0, "count -1 is outside 0 to 4294967296"},
		{"2^53+1", algorithm.FixedWindow, 1<<53 + 1, hour, 0, "count 9007199254740993 is outside 0 to 9007199254740992"},
		{"2^32+1", algorithm.SlidingCounter, 1<<32 + 1, hour, 0, "count 4294967297 is outside 0 to 4294967296"},
		{"2^40+1", algorithm.TokenBucket, 1<<40 + 1, hour, 0, "count 1099511627777 is outside 0 to 1099511627776"},
		{"a burst for a window", algorithm.SlidingCounter, 10, hour, 20, "burst 20 is outside 10 to 10"},
		{"a negative burst", algorithm.GCRA, 10, hour, -1, "burst -1 is outside 1 to 2199023255552"},
		{"2^41+1", algorithm.GCRA, 10, 1, 1<<41 + 1, "burst 2199023255553 is outside 1 to 2199023255552"},
		{"300 years to drain", algorithm.GCRA, 1, hour, 300 * 366 * 24, "drain 9486720000000000 µs is outside 1 to 9007199254740991 µs"},
		{"half a µs too long", algorithm.GCRA, 2, 9_007_199_255, 1_999_999 + 1, "drain 9007199255000000 µs is outside 1 to 9007199254740991 µs"},
		{"a drain past every integer", algorithm.GCRA, 1, 407 * 24 * hour, algorithm.MaxBurst, "drain 9223372036854775807 µs is outside 1 to 9007199254740991 µs"},
	} {
		_, err := algorithm.Compile(c.kind, c.count, c.period, c.burst)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A drain of 2^53 − ½ µs does not fit, and the error does not claim that 2^53−1 is
// outside a range that ends there.
func TestDrainIsRoundedUp(t *testing.T) {
	// 2·(2^53 − ½) = 2^54 − 1 = burst·den with num = 2.
	const burst, den = 81 * 7 * 19 * 73, 262657 * 87211
	if burst*den != 1<<54-1 {
		t.Fatal("the factors are wrong")
	}
	_, err := algorithm.Compile(algorithm.GCRA, 2, den, burst)
	r, ok := errors.AsType[*algorithm.RangeError](err)
	if !ok || r.Field != "drain" || r.Value != 1<<53 {
		t.Errorf("%v", err)
	}
}

// checkCompiled is what holds of every answer of Compile.
func checkCompiled(t *testing.T, kind algorithm.Kind, count, period, burst int64) {
	t.Helper()
	l, err := algorithm.Compile(kind, count, period, burst)
	if err != nil {
		r, ok := errors.AsType[*algorithm.RangeError](err)
		if !ok || r.Value >= r.Min && r.Value <= r.Max || !strings.Contains(err.Error(), r.Field) {
			t.Fatalf("Compile(%d, %d, %d, %d): %v", kind, count, period, burst, err)
		}
		return
	}
	if l.Count == 0 {
		return
	}
	if big.NewRat(l.Num, l.Den).Cmp(big.NewRat(count, period)) != 0 || new(big.Int).GCD(nil, nil, big.NewInt(l.Num), big.NewInt(l.Den)).Int64() != 1 {
		t.Fatalf("%d/%d is not %d/%d in lowest terms", l.Num, l.Den, count, period)
	}
	drain := new(big.Rat).Mul(whole(l.Burst), big.NewRat(l.Period, l.Count))
	bucket := kind != algorithm.FixedWindow && kind != algorithm.SlidingLog && kind != algorithm.SlidingCounter
	if bucket && drain.Cmp(whole(1<<53-1)) > 0 {
		t.Fatalf("%+v drains in %s µs", l, drain)
	}
	if l.Burst < 1 || !bucket && l.Burst != count {
		t.Fatalf("%+v", l)
	}
}

func TestCompileAtItsEnds(t *testing.T) {
	ends := []int64{math.MinInt64, -1, 0, 1, 2, 3, 1 << 32, 1<<32 + 1, 1 << 40, 1<<40 + 1, 1 << 41, 1<<41 + 1, 1 << 53, 1<<53 + 1,
		algorithm.MaxPeriod - 1, algorithm.MaxPeriod, algorithm.MaxPeriod + 1, math.MaxInt64}
	for _, kind := range vectors.Kinds() {
		for _, count := range ends {
			for _, period := range ends {
				for _, burst := range ends {
					checkCompiled(t, kind, count, period, burst)
				}
			}
		}
	}
}
