package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir/bench/callers"
	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/bench/turns"
)

// work is one contest.
type work struct {
	name    string
	callers int
	hot     bool // one key
	refuse  bool // all but the first are refused; otherwise none is
	layers  bool
	who     *regexp.Regexp
}

// most callers that any contest has.
const most = 128

var works = []work{
	{name: "keys-callers-128", callers: 128, who: regexp.MustCompile(`^(weir|weir-alone|redis_rate|redis_rate-pipeline|throttled|ulule|evalsha|incr)$`)},
	{name: "keys-callers-16", callers: 16, who: regexp.MustCompile(`^(weir|redis_rate|redis_rate-pipeline|ulule|evalsha)$`)},
	{name: "one-key-callers-128", callers: 128, hot: true, who: regexp.MustCompile(`^(weir|weir-alone|redis_rate|redis_rate-pipeline|throttled|ulule)$`)},
	{name: "refused-callers-128", callers: 128, hot: true, refuse: true, who: regexp.MustCompile(`^(weir|weir-alone|weir-deny-cache|redis_rate|redis_rate-pipeline|ulule)$`)},
	{name: "three-layers-callers-128", callers: 128, layers: true, who: regexp.MustCompile(`^(weir|weir-alone|redis_rate|redis_rate-pipeline|ulule)$`)},
}

var (
	ample = quota{1_000_000_000, time.Hour} // nobody reaches it
	one   = quota{1, 24 * time.Hour}
	five  = quota{5, 24 * time.Hour}
)

func (b *bench) contests(s settings) (all []turns.Contest, err error) {
	for _, w := range works {
		if !s.contests.MatchString(w.name) {
			continue
		}
		c := turns.Contest{Name: w.name}
		for _, p := range peers {
			if !w.who.MatchString(p.name) || !s.only.MatchString(p.name) {
				continue
			}
			l, err := b.prepare(w, p)
			if err != nil {
				return nil, fmt.Errorf("set-up: %s, %s: %w", w.name, p.name, err)
			}
			c.Contenders = append(c.Contenders, turns.Contender{Name: p.name, Turn: func() ([]turns.Figure, error) { return b.turn(s, w, p, l) }})
		}
		all = append(all, c)
	}
	return all, nil
}

// prepare opens a limiter and sees that it limits.
func (b *bench) prepare(w work, p peer) (Limiter, error) {
	open := p.open
	if w.layers {
		open = p.openLayers
	}
	if !p.floor {
		l, err := open(b, five)
		if err != nil {
			return nil, err
		}
		if err := checkLimits(context.Background(), l, w.name+p.name); err != nil {
			return nil, err
		}
	}
	q := ample
	if w.refuse {
		q = one
	}
	l, err := open(b, q)
	if err != nil || !w.refuse {
		return l, err
	}
	if ok, err := l.Take(context.Background(), w.key(p, 0)); err != nil || !ok {
		return nil, fmt.Errorf("the first of one is not admitted: %v", err)
	}
	return l, nil
}

// key is of one contest and limiter: two of weir would share its state.
func (w work) key(p peer, n int) string { return w.name + "-" + p.name + "-caller-" + strconv.Itoa(n) }

func (b *bench) turn(s settings, w work, p peer, l Limiter) ([]turns.Figure, error) {
	var wrong, lost atomic.Int64
	ctx := context.Background()
	ask := func(int) error {
		key := 0
		if !w.hot {
			key = rand.IntN(s.keys)
		}
		ok, err := l.Take(ctx, w.key(p, key))
		switch {
		case err != nil && p.loses:
			lost.Add(1)
			return nil
		case err != nil:
			return err
		case ok == w.refuse:
			wrong.Add(1)
		}
		return nil
	}
	if _, err := callers.Ask(w.callers, s.warm, ask); err != nil {
		return nil, err
	}
	lost.Store(0)
	if err := b.rueidis.Do(ctx, b.rueidis.B().ConfigResetstat().Build()).Error(); err != nil {
		return nil, err
	}
	before := process.CPU(b.pid)
	load, err := callers.Ask(w.callers, s.turn, ask)
	if err != nil {
		return nil, err
	}
	used := process.CPU(b.pid) - before
	if wrong.Load() > 0 {
		return nil, fmt.Errorf("set-up: %d answers of %d are wrong, or lack: refused should be %v", wrong.Load(), load.Calls, w.refuse)
	}
	decided := load.Calls - int(lost.Load())
	scripts, err := b.scriptTime(ctx)
	if err != nil {
		return nil, err
	}
	return []turns.Figure{
		{Value: float64(decided) / load.Took.Seconds(), Unit: "decisions/s"},
		{Value: float64(load.P99.Microseconds()), Unit: "p99-µs"},
		{Value: float64(used.Microseconds()) / float64(decided), Unit: "redis-cpu-µs"},
		{Value: scripts / float64(decided), Unit: "server-µs"},
		{Value: 100 * float64(lost.Load()) / float64(load.Calls), Unit: "failed-%"},
	}, nil
}

var commandTime = regexp.MustCompile(`cmdstat_(evalsha|eval|incr):calls=\d+,usec=(\d+)`)

// scriptTime is what the server says that scripts took since the statistics were
// reset, in µs; where none ran, what INCR took. What a script calls is in its time.
func (b *bench) scriptTime(ctx context.Context) (µs float64, err error) {
	text, err := b.rueidis.Do(ctx, b.rueidis.B().Info().Section("commandstats").Build()).ToString()
	incr := 0.0
	for _, m := range commandTime.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(m[2], 64)
		if m[1] == "incr" {
			incr = n
		} else {
			µs += n
		}
	}
	if µs == 0 {
		return incr, err
	}
	return µs, err
}
