package algorithm

import "fmt"

// Kind names one of the five algorithms. The zero value is GCRA.
type Kind uint8

// The five algorithms. Each has a file, a Lua file, vectors and a page of the
// same name.
const (
	GCRA Kind = iota
	TokenBucket
	FixedWindow
	SlidingLog
	SlidingCounter
)

// The largest values that both the Go and the Lua arithmetic represent exactly.
// A Lua number is a double, so everything that is used as a result stays below
// 2^53 there; the tighter bounds leave room for the sums and products on the way.
const (
	MaxPeriod       int64 = 407 * 24 * 3600 * 1_000_000 // µs, below 2^45
	MaxWindowCount  int64 = 1 << 53                     // fixed window
	MaxLogCount     int64 = 1 << 32                     // sliding log
	MaxCounterCount int64 = 1 << 32                     // sliding counter
	MaxBucketCount  int64 = 1 << 40                     // token bucket, GCRA
	MaxBurst        int64 = 1 << 41                     // token bucket, GCRA
	maxDrain        int64 = 1<<53 - 1                   // µs, about 285 years
)

// Limit is one limit compiled to integers. Its fields are for reading only;
// [Compile] makes it. The zero value is blocked: it admits nothing.
type Limit struct {
	Kind   Kind
	Count  int64 // L, requests per period; 0 is blocked
	Period int64 // W, µs
	Burst  int64 // capacity: B for a bucket, otherwise L
	// Num/Den is Count/Period in lowest terms: the requests that leak per µs.
	Num, Den int64
	// CountAll makes a fixed window count refused calls too.
	CountAll bool

	id uint32 // see CompactID
}

// IsBucket reports whether the limit's state is a bucket's: token bucket or GCRA.
func (l *Limit) IsBucket() bool { return l.layout() == bucketLayout }

// RangeError says which part of a limit cannot be represented and what can.
type RangeError struct {
	Field    string // "count", "period", "burst" or "drain"
	Value    int64
	Min, Max int64
}

func (e *RangeError) Error() string {
	unit := ""
	if e.Field == "period" || e.Field == "drain" {
		unit = " µs"
	}
	return fmt.Sprintf("%s %d%s is outside %d to %d%s", e.Field, e.Value, unit, e.Min, e.Max, unit)
}

// Compile checks a limit of count requests per period (µs) and reduces it to
// integers. burst is the capacity of a bucket; 0 means count, and the other
// algorithms take no other. The error is a *[RangeError].
func Compile(kind Kind, count, period, burst int64) (Limit, error) {
	if period < 1 || period > MaxPeriod {
		return Limit{}, &RangeError{"period", period, 1, MaxPeriod}
	}
	if most := maxCount(kind); count < 0 || count > most {
		return Limit{}, &RangeError{"count", count, 0, most}
	}
	l := Limit{Kind: kind, Count: count, Period: period, Burst: count}
	if count == 0 {
		return l, nil
	}
	d := gcd(count, period)
	l.Num, l.Den = count/d, period/d
	if l.layout() != bucketLayout {
		if burst != 0 && burst != count {
			return Limit{}, &RangeError{"burst", burst, count, count}
		}
		return l, nil
	}
	if burst != 0 {
		l.Burst = burst
	}
	if l.Burst < 1 || l.Burst > MaxBurst {
		return Limit{}, &RangeError{"burst", burst, 1, MaxBurst}
	}
	if most := mulDivFloor(maxDrain, l.Num, l.Den, MaxBurst); l.Burst > most {
		return Limit{}, &RangeError{"drain", saturatedDrain(l), 1, maxDrain}
	}
	l.number()
	return l, nil
}

func maxCount(kind Kind) int64 {
	switch kind {
	case FixedWindow:
		return MaxWindowCount
	case SlidingLog:
		return MaxLogCount
	case SlidingCounter:
		return MaxCounterCount
	default:
		return MaxBucketCount
	}
}

// saturatedDrain is the time a full bucket takes to empty, rounded up, for the
// error text; the largest int64 when it does not fit one.
func saturatedDrain(l Limit) int64 {
	floor := mulDivFloor(l.Burst, l.Den, l.Num, Never)
	if floor == Never || productAtMost(l.Burst, l.Den, floor, l.Num) {
		return floor
	}
	return floor + 1
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
