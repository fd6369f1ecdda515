package trail

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// latency counts durations in buckets of which each is a quarter to a half wider
// than the one before: 4 to each power of two of nanoseconds.
type latency struct {
	buckets [64 * 4]atomic.Int64
	seen    [64 * 4]int64 // only the ticks know these
}

// Took notes how long the store took.
func (t *Trail) Took(d time.Duration) { t.latency.buckets[bucketOf(d)].Add(1) }

func bucketOf(d time.Duration) int {
	n := uint64(max(d, 4))
	power := bits.Len64(n) - 1
	return power*4 + int(n>>(power-2)&3)
}

// upper is the bucket's end.
func upper(bucket int) time.Duration {
	power, quarter := bucket/4, bucket%4
	return time.Duration(quarter+5) << power / 4
}

// read is the median and the 99th percentile since the last time, each at most a
// quarter too long.
func (l *latency) read() (p50, p99 time.Duration) {
	var counts [64 * 4]int64
	total := int64(0)
	for i := range counts {
		now := l.buckets[i].Load()
		counts[i], l.seen[i] = now-l.seen[i], now
		total += counts[i]
	}
	if total == 0 {
		return 0, 0
	}
	sum := int64(0)
	for i, n := range counts {
		sum += n
		if p50 == 0 && sum*2 >= total {
			p50 = upper(i)
		}
		if sum*100 >= total*99 {
			return p50, upper(i)
		}
	}
	return p50, p50
}
