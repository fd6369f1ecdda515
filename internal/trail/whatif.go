package trail

import (
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// Answer is what an algorithm says to a check.
type Answer struct {
	Algorithm              weir.Algorithm
	Allowed                bool
	Remaining              int64
	RetryAfter, ResetAfter time.Duration // as in weir.Result
	// Real marks the one that decided; the others are told what it had counted.
	Real bool
}

// Used is how much of the limit's room was used before the check was decided.
func Used(c *weir.Check, r *weir.Result) int64 {
	used := r.Limit - r.Remaining
	if r.Charged {
		used -= c.Cost
	}
	return max(used, 0)
}

// WhatIf says what each algorithm would have answered under the same rate, had the
// caller used as much of it, and all of that just now. So whether the request
// passes depends on what is used alone, and the waits are the longest there can
// be. The one that decided answers as it did; so do GCRA and the token bucket for
// each other, which are one rule. There is nothing to say of a limit that is
// blocked, nor of what was let pass without a decision.
func WhatIf(c *weir.Check, r *weir.Result) (answers []Answer) {
	if c.Limit.Blocked() || r.Limit == 0 {
		return nil
	}
	real := c.Limit.Algorithm()
	for _, a := range weir.Algorithms() {
		if a == real || a.HasBurst() && real.HasBurst() {
			answers = append(answers, Answer{a, r.Allowed, r.Remaining, r.RetryAfter, r.ResetAfter, a == real})
			continue
		}
		if l, err := weir.NewLimit(c.Limit.Rate(), weir.WithAlgorithm(a)); err == nil { // its range may be smaller
			answers = append(answers, answer(a, l.Compiled(), c, r))
		}
	}
	return answers
}

func answer(name weir.Algorithm, l *algorithm.Limit, c *weir.Check, r *weir.Result) Answer {
	used := min(Used(c, r), l.Burst)
	k := key(&stateKey{})
	if l.Kind == algorithm.SlidingLog {
		k = &algorithm.Log{}
	}
	k.Take(l, r.At, used)
	before := k.Read(l, r.At, c.Cost)
	a := Answer{Algorithm: name, Allowed: k.Take(l, r.At, c.Cost)}
	o := k.Read(l, r.At, c.Cost)
	if a.Allowed && !r.Charged && r.Allowed { // nor did the real one take anything
		o = before
	}
	a.Remaining, a.ResetAfter = o.Remaining, duration(o.Reset)
	if !a.Allowed {
		a.RetryAfter = duration(o.Wait)
	}
	return a
}

// key is the state of one key, whatever the algorithm.
type key interface {
	Take(l *algorithm.Limit, now, n int64) bool
	Read(l *algorithm.Limit, now, n int64) algorithm.Outcome
}

type stateKey struct{ state algorithm.State }

func (k *stateKey) Take(l *algorithm.Limit, now, n int64) (admitted bool) {
	k.state, admitted = l.Take(k.state, now, n)
	return admitted
}

func (k *stateKey) Read(l *algorithm.Limit, now, n int64) algorithm.Outcome {
	return l.Read(k.state, now, n)
}

func duration(us int64) time.Duration {
	if us > int64(weir.Never/time.Microsecond) {
		return weir.Never
	}
	return time.Duration(us) * time.Microsecond
}
