package algorithm

// State is what is remembered of one key: flat, without pointers, so that a
// table of millions of them is nothing to the garbage collector. The zero value
// is a key that was never seen.
//
// The words mean, by layout:
//
//	          stamp          a       b      c      d
//	window    window start   period  count
//	counter   window start   period  prev   cur
//	bucket    last           whole   frac   num    den
//
// The rate is part of each state: only so can a changed limit be noticed, and
// the state moved to the new rate with nothing forgiven.
type State struct {
	stamp, a, b, c, d int64
	layout            layout
}

// layout says how a state's words are read. A state of another layout than the
// limit's (the algorithm was changed under a live key) is decided as fresh.
type layout uint8

const (
	noLayout layout = iota
	windowLayout
	counterLayout
	bucketLayout
	logLayout
)

func (l *Limit) layout() layout {
	switch l.Kind {
	case FixedWindow:
		return windowLayout
	case SlidingCounter:
		return counterLayout
	case SlidingLog:
		return logLayout
	default:
		return bucketLayout
	}
}

// Stamp is the newest instant the state knows of, µs; 0 for a fresh one.
func (s State) Stamp() int64 { return s.stamp }

// IsZero reports whether the state is that of a key never seen.
func (s State) IsZero() bool { return s.layout == noLayout }
