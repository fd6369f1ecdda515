package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/weirhq/weir"
)

// lasting is a limit whose keys outlive any run after one request, and that no run
// uses up: a request is remembered for an hour under GCRA, for a day at least under
// the counter.
func lasting(a weir.Algorithm) *weir.Limit {
	if a.HasBurst() {
		return limit(weir.PerDay(24), weir.WithAlgorithm(a), weir.WithBurst(1<<21))
	}
	return limit(weir.PerDay(1<<32), weir.WithAlgorithm(a))
}

func limit(rate weir.Rate, options ...weir.LimitOption) *weir.Limit {
	l, err := weir.NewLimit(rate, options...)
	if err != nil {
		panic(err) // a mistake in this program
	}
	return l
}

func algorithm(name string) weir.Algorithm {
	a, err := weir.ParseAlgorithm(name)
	if err != nil {
		panic(err) // a mistake in this program
	}
	return a
}

// identities are of one length in one text, so that making one is no part of a
// decision, and a garbage collection sees one pointer and not millions.
type identities struct {
	text string
	n    int
}

// hot is the one identity of whatever is asked of one key.
var hot = identities{"hot", 1}

func identitiesOf(n int) identities {
	const first = 10_000_000 // and the last have as many digits
	var text []byte
	for i := range n {
		text = strconv.AppendInt(append(text, "user:"...), int64(first+i), 10)
	}
	return identities{string(text), n}
}

func (ids identities) at(i int) string {
	size := len(ids.text) / ids.n
	return ids.text[i*size : (i+1)*size]
}

// request is the checks of one identity in so many layers.
func request(l *weir.Limit, layers int) []weir.Check {
	checks := make([]weir.Check, layers)
	for i := range checks {
		checks[i] = weir.Check{Key: weir.Key{Layer: "layer" + strconv.Itoa(i), Limit: "default"}, Limit: l, Cost: 1, Group: &weir.Group{}}
	}
	return checks
}

// randomly asks for one of the identities at random, and expects to be admitted or not.
func (ids identities) randomly(s weir.Store, l *weir.Limit, layers int, admitted bool) asker {
	return func(r *rand.Rand) func() error {
		checks, results := request(l, layers), make([]weir.Result, layers)
		return func() error {
			return ids.take(s, r.IntN(ids.n), checks, results, admitted)
		}
	}
}

func (ids identities) take(s weir.Store, i int, checks []weir.Check, results []weir.Result, admitted bool) error {
	for c := range checks {
		checks[c].Key.Identity = ids.at(i)
	}
	if err := s.Take(context.Background(), checks, results); err != nil {
		return err
	}
	for c := range checks {
		if results[c].Allowed != admitted {
			return fmt.Errorf("set-up: %s is answered %+v", ids.at(i), results[c])
		}
	}
	return nil
}

// fill takes once of each identity in each layer, many in a call, and as many calls
// at once as keep a server busy: ten million keys are there within a minute or two.
func (ids identities) fill(s weir.Store, l *weir.Limit, layers int) error {
	const fillers = 4
	var errs [fillers]error
	var filling sync.WaitGroup
	for f := range fillers {
		filling.Go(func() { errs[f] = ids.fillRange(s, l, layers, ids.n*f/fillers, ids.n*(f+1)/fillers) })
	}
	filling.Wait()
	return errors.Join(errs[:]...)
}

func (ids identities) fillRange(s weir.Store, l *weir.Limit, layers, from, to int) error {
	const together = 100
	each := request(l, layers)
	checks := make([]weir.Check, 0, together+layers)
	results := make([]weir.Result, together+layers)
	for i := from; i < to; i++ {
		for _, c := range each {
			c.Key.Identity, c.Group = ids.at(i), nil
			checks = append(checks, c)
		}
		if len(checks) < together && i < to-1 {
			continue
		}
		if n, err := weir.TakeEach(context.Background(), s, checks, results); err != nil || n < len(checks) {
			return fmt.Errorf("set-up: %d of %d taken: %w", n, len(checks), err)
		}
		checks = checks[:0]
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
