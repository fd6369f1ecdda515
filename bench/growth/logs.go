package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/redisstore"
)

// logPeriod is that of the logs: longer than a run, so that an entry leaves only
// where the clock of the point says so.
const logPeriod = time.Hour

func logLimit(n int) *weir.Limit {
	return limit(weir.Per(int64(n), logPeriod), weir.WithAlgorithm(weir.SlidingLog))
}

// logsInMemory are full logs: every admission has one entry leave. Small ones are
// measured by the thousand.
func (b *bench) logsInMemory() turns.Contest {
	return points("log-memory", []string{"log"}, b.logs, func(_ string, n int) ([]turns.Figure, error) {
		ids := identitiesOf(min(max(1, 10*b.spread/n), b.spread/100))
		f := &fullLogs{ids: ids, step: logPeriod / time.Duration(n), now: time.Unix(1_700_000_000, 0), checks: request(logLimit(n), 1)}
		f.store = weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 4 * ids.n, Clock: func() time.Time { return f.now }})
		defer f.store.Close()
		before := heap()
		for range n {
			if err := f.admitAll(); err != nil {
				return nil, err
			}
		}
		bytes := heap() - before
		admitted, err := f.measure(b.turn, f.admitAll)
		if err != nil {
			return nil, err
		}
		refused, err := f.measure(b.turn, f.refuseAll)
		return []turns.Figure{
			{Value: float64(bytes) / float64(ids.n), Unit: "bytes"},
			{Value: admitted, Unit: "admitted-cpu-ns"},
			{Value: refused, Unit: "refused-cpu-ns"},
		}, err
	})
}

type fullLogs struct {
	ids    identities
	store  *weir.MemoryStore
	step   time.Duration
	now    time.Time
	checks []weir.Check
	result [1]weir.Result
}

func (f *fullLogs) admitAll() error {
	f.now = f.now.Add(f.step)
	return f.takeAll(true)
}

func (f *fullLogs) refuseAll() error { return f.takeAll(false) }

func (f *fullLogs) takeAll(admitted bool) error {
	for i := range f.ids.n {
		if err := f.ids.take(f.store, i, f.checks, f.result[:], admitted); err != nil {
			return err
		}
	}
	return nil
}

// measure is how many ns of processor time a decision takes.
func (f *fullLogs) measure(during time.Duration, all func() error) (float64, error) {
	decisions, before, begun := 0, used(), time.Now()
	for time.Since(begun) < during {
		for range batch {
			if err := all(); err != nil {
				return 0, err
			}
		}
		decisions += batch * f.ids.n
	}
	return float64((used() - before).Nanoseconds()) / float64(decisions), nil
}

// logsOnRedis are full logs of one key each. They are filled by the server's clock,
// and then asked by one that stands where the next entry leaves.
func (b *bench) logsOnRedis() turns.Contest {
	servers, now := filled{}, map[int]time.Time{}
	return points("log-redis", []string{"log"}, b.logs, func(_ string, n int) ([]turns.Figure, error) {
		l := logLimit(n)
		s, err := servers.get(b, "log", n, func(s *server) error {
			end, err := s.fillLog(l, n)
			now[n] = end
			return err
		}, redisstore.WithoutCoalescing())
		if err != nil {
			return nil, err
		}
		clock := now[n]
		defer func() { now[n] = clock }()
		store, err := redisstore.New(s.client, redisstore.WithoutCoalescing(), redisstore.WithClock(func() time.Time { return clock }))
		if err != nil {
			return nil, err
		}
		admitted, err := b.measure(s, "evalsha", 1, admitNext(store, l, &clock))
		if err != nil {
			return nil, err
		}
		bytes, err := s.number("MEMORY", "USAGE", logName, "SAMPLES", "0")
		if err != nil {
			return nil, err
		}
		if length, err := s.number("LLEN", logName); err != nil || length != int64(n)+1 { // and the header
			return nil, fmt.Errorf("set-up: a log of %d has %d entries: %w", n, length, err)
		}
		clock = clock.Add(-time.Microsecond) // just before the next leaves
		refused, err := b.measure(s, "evalsha", 1, hot.randomly(store, l, 1, false))
		return []turns.Figure{
			{Value: float64(bytes), Unit: "bytes"},
			{Value: admitted.perCall(), Unit: "admitted-µs"},
			{Value: refused.perCall(), Unit: "refused-µs"},
		}, err
	})
}

const logName = "weir:{hot}:layer0:default"

// fillLog takes one at a time, by many callers, and returns an instant after the last.
func (s *server) fillLog(l *weir.Limit, n int) (end time.Time, err error) {
	var callers sync.WaitGroup
	errs := make([]error, redisCallers)
	for c := range redisCallers {
		callers.Go(func() {
			checks, results := request(l, 1), make([]weir.Result, 1)
			for i := c; i < n && errs[c] == nil; i += redisCallers {
				errs[c] = hot.take(s, 0, checks, results, true)
			}
		})
	}
	callers.Wait()
	for _, err := range errs {
		if err != nil {
			return end, err
		}
	}
	check, result := request(l, 1), make([]weir.Result, 1)
	err = hot.take(s, 0, check, result, false)
	return time.UnixMicro(result[0].At), err
}

// admitNext moves the clock to where the next is admitted, and takes it.
func admitNext(s weir.Store, l *weir.Limit, clock *time.Time) asker {
	return func(*rand.Rand) func() error {
		checks, results := request(l, 1), make([]weir.Result, 1)
		checks[0].Key.Identity = hot.text
		checks[0].Peek = true
		err := s.Take(context.Background(), checks, results)
		checks[0].Peek = false
		*clock = clock.Add(results[0].RetryAfter)
		return func() error {
			if err != nil {
				return err
			}
			err := hot.take(s, 0, checks, results, true)
			*clock = clock.Add(results[0].NextAfter)
			return err
		}
	}
}
