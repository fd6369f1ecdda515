package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/weirhq/weir"
)

// The traffics are made for a limit: they meet it. They begin at the beginning of
// a window of the clock, and are the same each time.

// start is a whole window of any period that divides a day.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxRequests bounds what is made, for limits of millions.
const maxRequests = 2_000_000

// Names are those of the traffics that can be made.
func Names() []string { return []string{"boundary", "burst", "steady", "poisson"} }

// Make makes a traffic by its name; ok is false for one that there is not. Counts
// of more than 500,000 are treated as 500,000.
func Make(name string, rate weir.Rate) (t Traffic, ok bool) {
	capped := rate.Count > maxRequests/4
	rate.Count = min(rate.Count, maxRequests/4)
	switch name {
	case "boundary":
		t = Boundary(rate)
	case "burst":
		t = Burst(rate)
	case "steady":
		t = Steady(rate)
	case "poisson":
		t = Poisson(rate)
	default:
		return t, false
	}
	if capped {
		t.Name += fmt.Sprintf(", as for a count of %d, the most that is made", rate.Count)
	}
	return t, true
}

// Boundary is as many requests as the limit has just before the end of a window,
// and as many just after it; and some more half a window later.
func Boundary(rate weir.Rate) Traffic {
	t := periods("boundary: the limit's count just before a window ends, and again just after", rate, 3)
	w := float64(rate.Period.Microseconds())
	t.spread(rate.Count, 0.90*w, 0.99*w)
	t.spread(rate.Count, 1.01*w, 1.10*w)
	t.spread((rate.Count+1)/2, 1.55*w, 1.60*w)
	t.spread((rate.Count+1)/2, 2.10*w, 2.15*w)
	return t
}

// Burst is one and a half times the limit's count at once, every half period.
func Burst(rate weir.Rate) Traffic {
	t := periods("burst: 1.5 times the limit's count at once, every half period", rate, 3)
	w := float64(rate.Period.Microseconds())
	for half := range 6 {
		at := (float64(half)/2 + 0.05) * w
		t.spread(rate.Count+rate.Count/2, at, at)
	}
	return t
}

// Steady is twice the limit's rate, evenly.
func Steady(rate weir.Rate) Traffic {
	t := periods("steady: twice the limit's rate, evenly", rate, 3)
	t.spread(6*rate.Count, 0, 3*float64(rate.Period.Microseconds()))
	return t
}

// Poisson is one and a half times the limit's rate, at random.
func Poisson(rate weir.Rate) Traffic {
	t := periods("poisson: 1.5 times the limit's rate, at random", rate, 3)
	random := rand.New(rand.NewPCG(1, 2)) // the same each time
	mean := float64(rate.Period.Microseconds()) / (1.5 * float64(max(1, rate.Count)))
	for at := mean * random.ExpFloat64(); at < float64(t.To-t.From); at += mean * random.ExpFloat64() {
		t.At = append(t.At, t.From+int64(at))
	}
	return t
}

// periods is an empty traffic of n periods.
func periods(name string, rate weir.Rate, n int64) Traffic {
	w := rate.Period.Microseconds()
	from := start.UnixMicro()
	from -= from % w // the fixed window's own beginning
	return Traffic{Name: name, From: from, To: from + n*w}
}

// spread adds n requests evenly from one offset to another, in µs.
func (t *Traffic) spread(n int64, from, to float64) {
	for i := range n {
		at := from + (to-from)*float64(i)/float64(n)
		t.At = append(t.At, t.From+int64(math.Round(at)))
	}
}
