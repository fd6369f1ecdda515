package redisstore

import (
	"errors"
	"math"
	"slices"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// Bits of an answer, as driver.lua writes them.
const (
	bitAllowed  = 1
	bitCharged  = 2
	bitReplaced = 4
)

var errReply = errors.New("redisstore: the script's reply makes no sense; is another version of it under this name?")

// answer is what takeScript replies to one order, and when it was decided.
type answer struct {
	at   int64
	text string
}

// cut is the answer to an order that is one of several, none of them of logs.
func (r *replyReader) cut(checks, times int) string {
	from := r.rest
	nobody := times > 1 && r.double() == 0 && checks > 1 // as if they had not asked
	for range checks {
		if !nobody {
			r.byte()
			r.take(int(r.byte()))
		}
	}
	return from[:len(from)-len(r.rest)]
}

// readAnswer turns an answer into results. A script replies what a key holds now;
// what follows from it is derived here, by the same code as in memory. It appends
// the state of each to states; a log's stays where it is.
func readAnswer(a answer, checks []weir.Check, results []weir.Result, states []algorithm.State) (replaced int, left []algorithm.State, err error) {
	r, at := replyReader{rest: a.text}, a.at
	for i := range checks {
		c := &checks[i]
		bits := r.byte()
		state, outcome := r.describe(c, at)
		results[i] = result(c, bits&bitAllowed != 0, bits&bitCharged != 0, state, outcome, at)
		states = append(states, state)
		if bits&bitReplaced != 0 {
			replaced++
		}
	}
	if r.failed || r.rest != "" {
		return replaced, states, errReply
	}
	takeLaterOut(checks, results)
	return replaced, states, nil
}

// result is that of a check which left the state.
func result(c *weir.Check, allowed, charged bool, left algorithm.State, o algorithm.Outcome, at int64) weir.Result {
	r := weir.NewResult(c.Limit, c.Cost, allowed, charged, o, at)
	if charged {
		ch := c.Limit.Compiled().Charged(left, at, c.Cost)
		r.Before = weir.Level{Whole: ch.Whole, Frac: ch.Frac}
	}
	return r
}

// takeLaterOut makes the level before a take that before later ones of the same
// call, where independent checks share a key: the reply tells the last state
// alone. What was moved to another rate in between cannot be told any more; an
// empty level gives back least.
func takeLaterOut(checks []weir.Check, results []weir.Result) {
	if len(checks) == 1 || !slices.ContainsFunc(checks, independent) {
		return
	}
	type takes struct {
		limit *weir.Limit // nil: of several
		cost  int64
	}
	later := make(map[weir.Key]takes, len(checks))
	for i := len(checks) - 1; i >= 0; i-- {
		c, r := &checks[i], &results[i]
		if !r.Charged || !independent(*c) {
			continue
		}
		all, found := later[c.Key]
		switch {
		case !found:
			all.limit = c.Limit
		case all.limit != c.Limit:
			all.limit, r.Before = nil, weir.Level{}
		case c.Limit.Algorithm().HasBurst():
			r.Before.Whole -= all.cost
		}
		all.cost += c.Cost
		later[c.Key] = all
	}
}

// readOne is the answer of a reply to one order.
func readOne(reply string, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	r := replyReader{rest: reply}
	at := r.instant()
	if r.failed {
		return answer{}, errReply
	}
	return answer{at, r.rest}, nil
}

func independent(c weir.Check) bool { return c.Group != nil && c.Group.Charge == weir.Independent }

type replyReader struct {
	rest   string
	failed bool
}

func (r *replyReader) take(n int) string {
	if n > len(r.rest) {
		r.failed = true
		return "\x00\x00\x00\x00\x00\x00\x00\x00"[:min(n, 8)]
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *replyReader) byte() byte { return r.take(1)[0] }

func (r *replyReader) double() int64 {
	text := r.take(8)
	bits := uint64(0)
	for i := 7; i >= 0; i-- {
		bits = bits<<8 | uint64(text[i])
	}
	return int64(math.Float64frombits(bits))
}

// instant is one that scripts reckon with exactly. Others might overflow here.
func (r *replyReader) instant() int64 {
	at := r.double()
	r.failed = r.failed || at < 0 || at >= 1<<53
	return at
}

// describe reads what the script says of the check's key.
func (r *replyReader) describe(c *weir.Check, at int64) (algorithm.State, algorithm.Outcome) {
	if c.Limit.Algorithm() == weir.SlidingLog {
		return algorithm.State{}, r.outcome()
	}
	state := r.state()
	return state, c.Limit.Compiled().Read(state, at, c.Cost)
}

// outcome is what the script says of a log.
func (r *replyReader) outcome() algorithm.Outcome {
	o := algorithm.Outcome{Remaining: r.double(), Wait: r.double(), Reset: r.double()}
	if o.Wait < 0 {
		o.Wait = algorithm.Never
	}
	return o
}

// state is what the script says of any other key.
func (r *replyReader) state() algorithm.State {
	state, ok := algorithm.DecodeState(r.take(int(r.byte())))
	if !ok {
		r.failed = true
		return algorithm.State{} // the words of another might overflow
	}
	return state
}
