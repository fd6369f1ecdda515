package redisstore

import "github.com/weirhq/weir"

// What the tests outside need to see.

func KeyName(s *Store, k weir.Key) string { return s.name(&k) }

func Assemble(name string) string { return assemble(name) }

func ScriptFiles() []string {
	files, err := luaFiles.ReadDir("lua")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

const Permissions = permissions

// The names by which EVALSHA calls the scripts.
var TakeScript, RefundScript = takeScript.sha, refundScript.sha

// Together is a batch of so many who ask the checks; errors.Is(err, ErrAlone) where
// each has to ask by itself.
func Together(s *Store, checks []weir.Check, times int) ([]weir.Result, error) {
	own := &flight{checks: ungrouped(checks)}
	for range times {
		own.queue = append(own.queue, &passenger{waiter: newWaiter()})
	}
	b := newBatch(own)
	defer b.cancel()
	if err := s.takeBatch(b); err != nil {
		return nil, err
	}
	return all(times, len(checks), b.answer), nil
}

// all are the results of so many, one's beside the other's.
func all(times, checks int, answer func(nth int, results []weir.Result)) []weir.Result {
	results := make([]weir.Result, times*checks)
	for i := range times {
		answer(i, results[i*checks:][:checks])
	}
	return results
}

var ErrAlone = errAlone

const MaxPassengers, EnoughPassengers = maxPassengers, enoughPassengers

func Mergeable(checks []weir.Check) bool { return mergeable(checks) }

// Waiting is how many takes wait for a call that is on its way, Flights how many
// calls there are.
func Waiting(s *Store) (waiting int) {
	s.shared.each(func(own *flight) { waiting += len(own.queue) })
	return waiting
}

func Flights(s *Store) (flights int) {
	s.shared.each(func(*flight) { flights++ })
	return flights
}

func (f *flights) each(do func(*flight)) {
	for i := range f.shards {
		a := &f.shards[i]
		a.mu.Lock()
		for _, own := range a.by {
			do(own)
		}
		a.mu.Unlock()
	}
}

// Denials is how many refusals are remembered.
func Denials(s *Store) (n int) {
	for i := range s.denied.slots {
		if s.denied.slots[i].Load() != nil {
			n++
		}
	}
	return n
}

// Double is a number as scripts read it.
func Double(v int64) []byte { return appendDouble(nil, v) }

// Closing reports whether Close has begun.
func Closing(s *Store) bool { return s.background.closed.Load() }

// OneCall has requests decided in one call that they share, each for so many callers.
// The results of a request are those of all its callers, or nil where each has to
// ask alone.
func OneCall(s *Store, requests [][]weir.Check, times []int) ([][]weir.Result, error) {
	c := carrier{store: s}
	for i, checks := range requests {
		if times[i] > 1 {
			checks = together(checks)
		}
		c.waiting = append(c.waiting, &parcel{waiter: newWaiter(), order: order{checks, times[i]}})
	}
	shared := c.board()
	c.deliver(shared)
	told := make([][]weir.Result, len(requests))
	for i, p := range shared.parcels {
		checks, err := requests[i], p.err
		if err == nil && times[i] > 1 {
			var g grant
			_, err = g.read(p.answer, checks, times[i])
			if err == nil {
				told[i] = all(times[i], len(checks), func(nth int, results []weir.Result) { g.answer(checks, nth, results, nil) })
			}
		} else if err == nil {
			told[i] = make([]weir.Result, len(checks))
			_, _, err = readAnswer(p.answer, checks, told[i], nil)
		}
		if err != nil && err != errAlone {
			return nil, err
		}
	}
	return told, nil
}

// Shareable reports whether a request may go in a call with others.
func Shareable(checks []weir.Check) bool { return shareable(order{checks, 1}) }

// Sharing is how many takes wait to go in a call together.
func Sharing(s *Store) int {
	s.carrier.mu.Lock()
	defer s.carrier.mu.Unlock()
	return len(s.carrier.waiting)
}

// InFlight is how many calls of a store on rueidis are not over.
func InFlight(s *Store) int {
	p := s.eval.(*rueidisEvaler).places
	return len(p.single) + len(p.shared)
}

const MaxInFlight = maxInFlight

const OwnCalls, SharedChecks = ownCalls, sharedChecks
