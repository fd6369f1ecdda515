package redisstore_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

func ordinaryLimits(t testing.TB, a weir.Algorithm) (limits []*weir.Limit) {
	for _, rate := range []weir.Rate{
		weir.PerMinute(10), weir.PerSecond(3), weir.Per(7, 13*time.Second), weir.PerHour(1), weir.PerSecond(6000),
		weir.Per(5, 10*time.Millisecond), weir.PerDay(999_983), weir.PerMinute(1009), weir.PerMinute(7),
	} {
		limits = append(limits, limitOf(t, rate, weir.WithAlgorithm(a)))
		if a.HasBurst() {
			limits = append(limits, limitOf(t, rate, weir.WithAlgorithm(a), weir.WithBurst(4)))
		}
		if a == weir.FixedWindow {
			limits = append(limits, limitOf(t, rate, weir.WithAlgorithm(a), weir.WithCountAll()))
		}
	}
	return limits
}

// extremeLimits are those among all combinations of ends that can be represented.
func extremeLimits(t testing.TB, a weir.Algorithm) (limits []*weir.Limit) {
	most := algorithm.MaxBucketCount
	switch a {
	case weir.FixedWindow:
		most = algorithm.MaxWindowCount
	case weir.SlidingLog, weir.SlidingCounter:
		most = algorithm.MaxCounterCount
	}
	for _, count := range []int64{1, 3, 999_983, 1<<31 - 1, most - 1, most} {
		for _, period := range []int64{1, 1000, 13_000_000, 86_400_000_000, algorithm.MaxPeriod - 1, algorithm.MaxPeriod} {
			rate := weir.Per(count, time.Duration(period)*time.Microsecond)
			for _, burst := range []int64{0, 1, 999_983, largestBurst(rate)} {
				options := []weir.LimitOption{weir.WithAlgorithm(a)}
				if burst > 0 && !a.HasBurst() {
					continue
				}
				if burst > 0 {
					options = append(options, weir.WithBurst(burst))
				}
				if l, err := weir.NewLimit(rate, options...); err == nil {
					limits = append(limits, l)
				}
			}
		}
	}
	if len(limits) < 30 {
		t.Fatalf("only %d limits", len(limits))
	}
	return limits
}

// largestBurst is the largest a bucket of the rate can have, found by asking.
func largestBurst(rate weir.Rate) int64 {
	low, high := int64(1), algorithm.MaxBurst
	for low < high {
		middle := high - (high-low)/2
		if _, err := weir.NewLimit(rate, weir.WithBurst(middle)); err == nil {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
