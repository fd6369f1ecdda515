package weir_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A lease is a part of the capacity, rounded up.
func TestLease(t *testing.T) {
	for _, c := range []struct {
		capacity, percent, want int64
	}{{1000, 5, 50}, {21, 5, 2}, {1001, 5, 51}, {3, 50, 2}, {1 << 41, 50, 1 << 40}} {
		l, err := weir.NewLimit(weir.PerDay(1<<40), weir.WithBurst(c.capacity), weir.WithLease(c.percent))
		if err != nil || l.Lease() != c.want {
			t.Errorf("%d%% of %d: %d, %v", c.percent, c.capacity, l.Lease(), err)
		}
	}
	if l, err := weir.NewLimit(weir.PerDay(1<<53), weir.WithAlgorithm(weir.FixedWindow), weir.WithLease(50)); err != nil || l.Lease() != 1<<52 {
		t.Errorf("%v, %v", l, err)
	}
	if l, err := weir.NewLimit(weir.PerDay(1000)); err != nil || l.Lease() != 0 {
		t.Errorf("%v, %v", l, err)
	}
}

// A limit that cannot be represented is refused when it is made, with the field
// and what it may be.
func TestLimitsThatCannotBe(t *testing.T) {
	const day = 24 * time.Hour
	all, fixed, log := weir.WithCountAll(), weir.WithAlgorithm(weir.FixedWindow), weir.WithAlgorithm(weir.SlidingLog)
	counter, bucket := weir.WithAlgorithm(weir.SlidingCounter), weir.WithAlgorithm(weir.TokenBucket)
	for _, c := range []struct {
		name    string
		rate    weir.Rate
		options []weir.LimitOption
		field   string
		says    string
	}{
		{"no period", weir.Rate{Count: 5}, nil, "period", "1µs to 407d"},
		{"negative period", weir.Per(5, -time.Second), nil, "period", "1µs to 407d"},
		{"below a microsecond", weir.Per(5, time.Nanosecond), nil, "period", "whole microseconds"},
		{"part of a microsecond", weir.Per(5, 1500*time.Nanosecond), nil, "period", "whole microseconds"},
		{"408 days", weir.Per(5, 408*day), nil, "period", "1µs to 407d"},
		{"407 days and 1 µs", weir.Per(5, 407*day+time.Microsecond), nil, "period", "1µs to 407d"},
		{"a blocked one needs a period too", weir.Rate{}, nil, "period", "1µs to 407d"},

		{"negative count", weir.PerMinute(-1), nil, "count", "-1 is outside 0 to 1099511627776"},
		{"count of a bucket", weir.PerMinute(1<<40 + 1), []weir.LimitOption{bucket}, "count", "0 to 1099511627776 for token-bucket"},
		{"count of a window", weir.PerMinute(1<<53 + 1), []weir.LimitOption{fixed}, "count", "0 to 9007199254740992 for fixed-window"},
		{"count of a log", weir.PerMinute(1<<32 + 1), []weir.LimitOption{log}, "count", "0 to 4294967296 for sliding-log"},
		{"count of a counter", weir.PerMinute(1<<32 + 1), []weir.LimitOption{counter}, "count", "0 to 4294967296 for sliding-counter"},
		{"the largest count", weir.PerMinute(math.MaxInt64), nil, "count", "0 to 1099511627776 for gcra"},

		{"burst of 0", weir.PerMinute(5), []weir.LimitOption{weir.WithBurst(0)}, "burst", "1 to 2199023255552"},
		{"negative burst", weir.PerMinute(5), []weir.LimitOption{weir.WithBurst(-7)}, "burst", "1 to 2199023255552"},
		{"large burst", weir.PerSecond(1 << 40), []weir.LimitOption{weir.WithBurst(1<<41 + 1)}, "burst", "1 to 2199023255552"},
		{"burst that never drains", weir.Per(1, 407*day), []weir.LimitOption{weir.WithBurst(1000)}, "burst", "285 years"},
		{"burst of a window", weir.PerMinute(5), []weir.LimitOption{fixed, weir.WithBurst(5)}, "burst", "gcra and token-bucket"},
		{"burst of a log", weir.PerMinute(5), []weir.LimitOption{log, weir.WithBurst(5)}, "burst", "gcra and token-bucket"},
		{"burst of a counter", weir.PerMinute(5), []weir.LimitOption{counter, weir.WithBurst(5)}, "burst", "gcra and token-bucket"},
		{"negative burst of a window", weir.PerMinute(5), []weir.LimitOption{fixed, weir.WithBurst(-5)}, "burst", "gcra and token-bucket"},

		{"count all of a bucket", weir.PerMinute(5), []weir.LimitOption{all}, "count", "fixed-window only"},
		{"count all of a counter", weir.PerMinute(5), []weir.LimitOption{all, counter}, "count", "fixed-window only"},
		{"no lease", weir.PerMinute(1000), []weir.LimitOption{weir.WithLease(0)}, "lease", "1% to 50%"},
		{"too long a lease", weir.PerMinute(1000), []weir.LimitOption{weir.WithLease(51)}, "lease", "1% to 50%"},
		{"lease of one request", weir.PerMinute(1000), []weir.LimitOption{weir.WithBurst(20), weir.WithLease(5)}, "lease", "5% is less than 2 requests of 20"},
		{"lease of nothing", weir.PerMinute(0), []weir.LimitOption{weir.WithLease(5)}, "lease", "2 requests of 0"},
		{"lease of a log", weir.PerMinute(1000), []weir.LimitOption{log, weir.WithLease(5)}, "lease", "sliding-log"},
		{"lease where all is counted", weir.PerMinute(1000), []weir.LimitOption{fixed, all, weir.WithLease(5)}, "lease", "all is counted"},
		{"lease of a short period", weir.Per(1000, 99*time.Millisecond), []weir.LimitOption{weir.WithLease(5)}, "lease", "below 100ms"},
		{"no algorithm", weir.PerMinute(5), []weir.LimitOption{weir.WithAlgorithm(9)}, "algorithm", "9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit, err := weir.NewLimit(c.rate, c.options...)
			refused, ok := errors.AsType[*weir.LimitError](err)
			if !ok || limit != nil {
				t.Fatalf("%v, %v", limit, err)
			}
			if refused.Field != c.field || !strings.Contains(refused.Reason, c.says) || refused.Rate != c.rate {
				t.Errorf("%v: field %q; want %q and %q", err, refused.Field, c.field, c.says)
			}
			if text := err.Error(); !strings.HasPrefix(text, "weir: limit "+c.rate.String()+": "+c.field) {
				t.Errorf("text %q", text)
			}
		})
	}
}

// The edges of every range can be.
func TestLimitsThatCanBe(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		rate     weir.Rate
		options  []weir.LimitOption
		capacity int64
		text     string
	}{
		{weir.Per(1, time.Microsecond), nil, 1, "1/1µs gcra"},
		{weir.Per(20, 407*day), nil, 20, "20/407d gcra"},
		{weir.PerMinute(1 << 40), []weir.LimitOption{weir.WithBurst(1 << 41)}, 1 << 41, "1099511627776/min gcra burst 2199023255552"},
		{weir.PerMinute(100), []weir.LimitOption{weir.WithBurst(1)}, 1, "100/min gcra burst 1"},
		{weir.PerMinute(100), []weir.LimitOption{weir.WithBurst(100)}, 100, "100/min gcra"},
		{weir.PerMinute(100), []weir.LimitOption{weir.WithAlgorithm(weir.TokenBucket), weir.WithBurst(7)}, 7, "100/min token-bucket burst 7"},
		{weir.PerMinute(1 << 53), []weir.LimitOption{weir.WithAlgorithm(weir.FixedWindow)}, 1 << 53, "9007199254740992/min fixed-window"},
		{weir.PerMinute(5), []weir.LimitOption{weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll()}, 5, "5/min fixed-window count all"},
		{weir.PerMinute(1 << 32), []weir.LimitOption{weir.WithAlgorithm(weir.SlidingLog)}, 1 << 32, "4294967296/min sliding-log"},
		{weir.PerMinute(1 << 32), []weir.LimitOption{weir.WithAlgorithm(weir.SlidingCounter)}, 1 << 32, "4294967296/min sliding-counter"},
		{weir.PerMinute(0), nil, 0, "0/min gcra"},
		{weir.PerMinute(0), []weir.LimitOption{weir.WithAlgorithm(weir.SlidingLog)}, 0, "0/min sliding-log"},
	} {
		limit, err := weir.NewLimit(c.rate, c.options...)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if limit.String() != c.text || limit.Capacity() != c.capacity || limit.Rate() != c.rate || limit.Blocked() != (c.rate.Count == 0) {
			t.Errorf("%s: is %s with a capacity of %d, blocked %t", c.text, limit, limit.Capacity(), limit.Blocked())
		}
	}
}

// The zero Limit is blocked.
func TestZeroLimit(t *testing.T) {
	var limit weir.Limit
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	var results [1]weir.Result
	if err := store.Take(t.Context(), []weir.Check{{Limit: &limit, Cost: 1}}, results[:]); err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Allowed || r.Reason != weir.LimitBlocked || r.RetryAfter != weir.Never || store.Len() != 0 {
		t.Errorf("%+v, and %d keys", r, store.Len())
	}
}

// Every algorithm is read back from its name; the error about another lists them.
func TestAlgorithmNames(t *testing.T) {
	for _, a := range weir.Algorithms() {
		if got, err := weir.ParseAlgorithm(a.String()); err != nil || got != a {
			t.Errorf("%s is read as %s, %v", a, got, err)
		}
	}
	_, err := weir.ParseAlgorithm("leaky-bucket")
	for _, a := range weir.Algorithms() {
		if err == nil || !strings.Contains(err.Error(), a.String()) {
			t.Errorf("%v does not name %s", err, a)
		}
	}
	if got := weir.Algorithm(9).String(); got != "Algorithm(9)" {
		t.Errorf("an unknown one is called %q", got)
	}
}
