package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weirhq/weir/bench/turns"
)

// work is one contest.
type work struct {
	name   string
	cores  int
	quota  quota
	keys   func(task) int // how many
	refuse bool           // all but the first are refused; otherwise none is
	layers bool
	weigh  bool // measure memory, not time
	long   bool
	who    *regexp.Regexp // nil is everybody
}

var (
	ample = quota{1_000_000_000, time.Hour} // nobody reaches it
	one   = quota{1, 24 * time.Hour}
)

// fewer are those who run where filling a limiter takes seconds.
var fewer = regexp.MustCompile(`^(weir|x/time|go-limiter|throttled|ulule|map.clock)$`)

func single(task) int { return 1 }

var works = []work{
	{name: "one-key-1-core", cores: 1, quota: ample, keys: single},
	{name: "one-key-2-cores", cores: 2, quota: ample, keys: single},
	{name: "refused-1-core", cores: 1, quota: one, keys: single, refuse: true},
	{name: "refused-2-cores", cores: 2, quota: one, keys: single, refuse: true},
	{name: "three-layers-1-core", cores: 1, quota: ample, keys: single, layers: true},
	{name: "three-layers-2-cores", cores: 2, quota: ample, keys: single, layers: true},
	// Of 100 an hour each is remembered for 36 s, so that keys are met again while
	// their state says something; of 100,000 an hour for 36 ms, so that they are not.
	{name: "random-keys-2-cores", cores: 2, quota: quota{100, time.Hour}, keys: func(t task) int { return t.Keys }, who: fewer},
	{name: "random-idle-keys-2-cores", cores: 2, quota: quota{100_000, time.Hour}, keys: func(t task) int { return t.Keys }, who: regexp.MustCompile(`^(weir|go-limiter)$`)},
	{name: "keys-held", cores: 2, quota: one, keys: func(t task) int { return t.Held }, weigh: true, long: true, who: fewer},
}

func (w work) suits(p peer) bool {
	return (!p.floor || !w.refuse && !w.layers) && (w.who == nil || w.who.MatchString(p.name))
}

func (t task) do() ([]turns.Figure, error) {
	w, err := find(works, func(w work) bool { return w.name == t.Work })
	if err != nil {
		return nil, err
	}
	p, err := find(peers, func(p peer) bool { return p.name == t.Peer })
	if err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(w.cores)
	open := p.open
	if w.layers {
		open = func(q quota, keys int) (Limiter, error) { return openLayers(p, q, keys) }
	}
	if !p.floor {
		if err := checkLimits(open); err != nil {
			return nil, fmt.Errorf("set-up: %w", err)
		}
	}
	if w.weigh {
		return w.weighKeys(open, w.keys(t), p.floor)
	}
	return w.measure(open, t)
}

func find[T any](all []T, is func(T) bool) (one T, err error) {
	for _, x := range all {
		if is(x) {
			return x, nil
		}
	}
	return one, fmt.Errorf("there is no such thing in %T", all)
}

// checkLimits wants that of 5 a day the sixth is refused, for a thousand keys each by
// itself.
func checkLimits(open func(quota, int) (Limiter, error)) error {
	l, err := open(quota{5, 24 * time.Hour}, 1000)
	if err != nil {
		return err
	}
	for n := range 6 {
		for k := range 1000 {
			if l.Take(nameOf(k)) != (n < 5) {
				return fmt.Errorf("call %d of key %d: admitted is %v", n+1, k, n >= 5)
			}
		}
	}
	return nil
}

func nameOf(k int) string { return "caller-" + strconv.Itoa(k) }

func (w work) measure(open func(quota, int) (Limiter, error), t task) ([]turns.Figure, error) {
	n := w.keys(t)
	names, err := distinct(n)
	if err != nil {
		return nil, err
	}
	l, err := open(w.quota, n)
	if err != nil {
		return nil, err
	}
	if err := fill(l, names); err != nil {
		return nil, err
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, begun := cpuTime(), time.Now()
	took := w.takeAll(l, names, begun.Add(t.Turn))
	elapsed, used := time.Since(begun), cpuTime()-cpu
	runtime.ReadMemStats(&after)
	if took.refused != 0 && !w.refuse || took.refused != took.all && w.refuse {
		return nil, fmt.Errorf("set-up: %d of %d were refused", took.refused, took.all)
	}
	each := float64(took.all)
	return []turns.Figure{
		{Value: each / elapsed.Seconds(), Unit: "decisions/s"},
		{Value: float64(used.Nanoseconds()) / each, Unit: "cpu-ns"},
		{Value: float64(int64(float64(after.Mallocs-before.Mallocs)/each*10+0.5)) / 10, Unit: "allocs"},
	}, nil
}

// distinct are n names in random order, none like another. They lie in memory one
// after the other, and are asked so: a key at random for whoever keeps keys, but at
// hand for who asks, as that of a request that has just been read is.
func distinct(n int) ([]string, error) {
	var text strings.Builder
	ends, seen := make([]int, n), make(map[string]struct{}, n)
	for i, k := range rand.Perm(n) {
		text.WriteString(nameOf(k))
		ends[i] = text.Len()
		seen[nameOf(k)] = struct{}{}
	}
	if len(seen) != n {
		return nil, fmt.Errorf("set-up: %d keys of %d are distinct", len(seen), n)
	}
	names, begin := make([]string, n), 0
	for i, end := range ends {
		names[i], begin = text.String()[begin:end], end
	}
	return names, nil
}

// fill has the limiter admit each name once, in another order than that in which they
// are asked, and in copies: what a limiter keeps of a key is its own.
func fill(l Limiter, names []string) error {
	for _, i := range rand.Perm(len(names)) {
		if !l.Take(strings.Clone(names[i])) {
			return fmt.Errorf("set-up: %s is refused", names[i])
		}
	}
	return nil
}

type count struct{ all, refused int64 }

// takeAll has a goroutine for each core take the names one after the other, each from
// another one on.
func (w work) takeAll(l Limiter, names []string, end time.Time) count {
	var all, refused atomic.Int64
	var every sync.WaitGroup
	for core := range w.cores {
		every.Go(func() {
			var n, no int64
			next := core * len(names) / w.cores
			for n == 0 || time.Now().Before(end) {
				for range 256 { // so that the clock is read seldom
					if !l.Take(names[next]) {
						no++
					}
					if next++; next == len(names) {
						next = 0
					}
					n++
				}
			}
			all.Add(n)
			refused.Add(no)
		})
	}
	every.Wait()
	return count{all.Load(), refused.Load()}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// weighKeys has the limiter admit each of n keys once, and wants it to remember all of
// a sample. A peer that keeps the key's text is charged for it, as it is in a program
// whose requests come and go.
func (w work) weighKeys(open func(quota, int) (Limiter, error), n int, floor bool) ([]turns.Figure, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l, err := open(w.quota, n)
	if err != nil {
		return nil, err
	}
	for k := range n {
		if !l.Take(nameOf(k)) {
			return nil, fmt.Errorf("set-up: key %d is refused", k)
		}
	}
	runtime.GC()
	begun := time.Now()
	runtime.GC()
	collected := time.Since(begun)
	runtime.ReadMemStats(&after)
	for k := 0; k < n && !floor; k += max(1, n/10_000) {
		if l.Take(nameOf(k)) {
			return nil, fmt.Errorf("set-up: key %d is forgotten", k)
		}
	}
	return []turns.Figure{
		{Value: float64(after.HeapAlloc-before.HeapAlloc) / float64(n), Unit: "bytes/key"},
		{Value: float64(collected.Microseconds()) / 1000, Unit: "gc-ms"},
	}, nil
}
