// Package vectors holds NAME.txt, the specification of the five algorithms that a
// person can read, and runs it against anything that decides:
// the pure functions, a store, a Lua script.
//
//	func TestVectors(t *testing.T) {
//		for _, kind := range vectors.Kinds() {
//			t.Run(vectors.Name(kind), func(t *testing.T) {
//				vectors.Run(t, kind, func(t *testing.T) vectors.Key { return openFreshKey(t, kind) })
//			})
//		}
//	}
//
// The format is described in README.md.
//
// # Time
//
// Instants are µs since the Unix epoch, as in package algorithm; the files write
// them as an offset from [T0].
//
// # Errors
//
// A file that cannot be read fails the test with FILE:LINE and the reason.
package vectors

import (
	"embed"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// T0 is the instant that the files count from, 2027-07-22T00:00:00Z in µs. It is
// a whole number of days, hours, minutes and of windows of 7, 11 and 13 s and
// weeks, so windows of those lengths start at it.
const T0 int64 = 1816214400 * 1_000_000

// Case is one story about one key that nobody has used before.
type Case struct {
	Title string // starts with the id of the fault it guards against, if any
	File  string
	Line  int
	Steps []Step
}

// StepsBack reports whether the clock of a case ever steps back. A store whose
// clock cannot (in one process it is monotonic) skips such cases.
func (c *Case) StepsBack() bool {
	at := int64(0)
	for _, s := range c.Steps {
		if s.Op == SetLimit || s.Op == Idle {
			continue
		}
		if s.At < at {
			return true
		}
		at = s.At
	}
	return false
}

// Op is what a step does.
type Op uint8

// The operations, as the files spell them.
const (
	SetLimit Op = iota // limit: from here on the key is under Limit
	Take               // take
	Peek               // peek
	Refund             // refund: undoes the take named Label
	Idle               // idle: is the key still worth keeping?
)

// Step is one line of a case.
type Step struct {
	Line  int
	Op    Op
	At    int64  // µs since the epoch; not for SetLimit
	Cost  int64  // Take and Peek
	Times int64  // Take: how often, each with the same verdict; at least 1
	Label string // Take: a name for a refund, or empty; Refund: which take
	Limit Spec   // SetLimit
	Want  Answer
	// Unknown is an answer written as "?": the step fails and says the answer.
	Unknown bool
}

// Spec is a limit as written. Burst 0 means the count.
type Spec struct {
	Count, Period, Burst int64
	CountAll             bool
}

// Compile is the limit as the algorithms take it.
func (s Spec) Compile(kind algorithm.Kind) (algorithm.Limit, error) {
	l, err := algorithm.Compile(kind, s.Count, s.Period, s.Burst)
	l.CountAll = s.CountAll
	return l, err
}

// Answer is what a step must answer.
type Answer struct {
	// Yes means: admitted (Take), would pass (Peek), gave something back
	// (Refund), must still be kept (Idle), can be represented (SetLimit).
	Yes bool
	// Outcome follows a Take, Peek or Refund; after a Refund it is that of a
	// cost of 1. A Take's is read after what it charged.
	algorithm.Outcome
	// Field, Min and Max are the range that a refused SetLimit names.
	Field    string
	Min, Max int64
}

// Kinds lists the algorithms in the order of the documentation.
func Kinds() []algorithm.Kind {
	return []algorithm.Kind{
		algorithm.FixedWindow, algorithm.SlidingLog, algorithm.SlidingCounter, algorithm.TokenBucket, algorithm.GCRA,
	}
}

// Name is the algorithm's name in a config, and its file's base name.
func Name(kind algorithm.Kind) string {
	switch kind {
	case algorithm.FixedWindow:
		return "fixed-window"
	case algorithm.SlidingLog:
		return "sliding-log"
	case algorithm.SlidingCounter:
		return "sliding-counter"
	case algorithm.TokenBucket:
		return "token-bucket"
	default:
		return "gcra"
	}
}

//go:embed *.txt
var files embed.FS

// Load reads the cases of an algorithm.
func Load(tb testing.TB, kind algorithm.Kind) []Case {
	tb.Helper()
	name := Name(kind) + ".txt"
	text, err := files.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	cases, err := Parse("internal/algorithm/vectors/"+name, string(text))
	if err != nil {
		tb.Fatal(err)
	}
	return cases
}
