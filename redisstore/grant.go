package redisstore

import (
	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// grant is what the script says to as many who ask the same: how many passed, the
// first of them. Each answer follows from it by the same code as in memory, in a
// few steps whatever its place: at one instant takes one after the other leave what
// one take of their sum leaves.
type grant struct {
	at     int64
	passed int
	keys   []granted
}

// granted is what is told of one key.
type granted struct {
	first algorithm.State   // that the first of them left; what was there if none passed
	after algorithm.Outcome // of a log, whose state stays where it is: after the last
}

// read is of an answer to so many. errAlone is its error where layers did not all
// have room for all, and errReply where the state before would have granted
// another number.
func (g *grant) read(a answer, checks []weir.Check, times int) (replaced int, err error) {
	r := replyReader{rest: a.text}
	g.at, g.passed = a.at, int(r.double())
	if len(checks) > 1 && g.passed == 0 {
		return 0, errAlone
	}
	r.failed = r.failed || g.passed < 0 || g.passed > times
	g.keys = make([]granted, len(checks))
	for i := range checks {
		if r.byte()&bitReplaced != 0 {
			replaced++
		}
		k := &g.keys[i]
		if checks[i].Limit.Algorithm() == weir.SlidingLog {
			k.after = r.outcome()
			continue
		}
		k.first = r.state()
		r.failed = r.failed || !g.follows(k.first, &checks[i], times)
		if g.passed > 0 {
			k.first, _ = checks[i].Limit.Compiled().Take(k.first, g.at, checks[i].Cost)
		}
	}
	if r.failed || r.rest != "" {
		return replaced, errReply
	}
	return replaced, nil
}

// follows reports whether from a state before as many pass as are said to.
func (g *grant) follows(before algorithm.State, c *weir.Check, times int) bool {
	l := c.Limit.Compiled()
	if g.passed > 0 && c.Cost > l.Burst/int64(g.passed) { // whose sum may be no int64
		return false
	}
	left, fit := l.Take(before, g.at, int64(g.passed)*c.Cost)
	_, more := l.Take(left, g.at, c.Cost)
	return fit && (g.passed == times || !more)
}

// answer is what the nth of them gets, from 0, with the states that it left if they
// are asked for.
func (g *grant) answer(checks []weir.Check, nth int, results []weir.Result, states []algorithm.State) {
	for i := range checks {
		c := &checks[i]
		if c.Limit.Algorithm() == weir.SlidingLog {
			results[i] = g.logged(&g.keys[i], c, nth)
			continue
		}
		left := g.leftBy(&g.keys[i], c, nth)
		passed := nth < g.passed
		results[i] = result(c, passed, passed, left, c.Limit.Compiled().Read(left, g.at, c.Cost), g.at)
		if states != nil {
			states[i] = left
		}
	}
}

// leftBy is the state that the nth leaves. From the first it is twice as fast as from
// what was there before, which was of another instant. Of those that are refused the
// first leaves what all of them read: nothing remains, however often it is counted.
func (g *grant) leftBy(k *granted, c *weir.Check, nth int) algorithm.State {
	l := c.Limit.Compiled()
	further := max(0, min(nth, g.passed-1))
	left, _ := l.Take(k.first, g.at, int64(further)*c.Cost)
	if nth >= g.passed {
		left, _ = l.Take(left, g.at, c.Cost)
	}
	return left
}

// logged goes by what is said of the log after all of them.
func (g *grant) logged(k *granted, c *weir.Check, nth int) weir.Result {
	o := k.after
	if after := int64(g.passed - 1 - nth); after > 0 {
		o.Remaining, o.Wait = o.Remaining+after*c.Cost, 0
	}
	passed := nth < g.passed
	return result(c, passed, passed, algorithm.State{}, o, g.at)
}
