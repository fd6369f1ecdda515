package algorithm

import (
	"encoding/binary"
	"math"
)

// What the Lua scripts of package redisstore read and write, byte for byte.

// State texts begin with their kind; numbers are big-endian unsigned.
const (
	windowTag  = 'W' // start 7, period 6, count 7
	counterTag = 'C' // start 7, period 6, prev 5, cur 5
	bucketTag  = 'B' // last 7, whole 6, frac 6, num 6, den 6
)

// DecodeState reads a state as a script replies it; nothing is a fresh key. ok is
// false for a text that no script writes, or whose words no state has: these
// would be reckoned with inexactly, or overflow.
func DecodeState(text string) (s State, ok bool) {
	if text == "" {
		return State{}, true
	}
	r := wireReader{text[1:]}
	switch tag := text[0]; {
	case tag == windowTag && len(text) == 21:
		w := window{start: r.take(7), period: r.take(6), count: r.take(7)}
		return w.state(), w.sound()
	case tag == counterTag && len(text) == 24:
		c := counter{start: r.take(7), period: r.take(6), prev: r.take(5), cur: r.take(5)}
		return c.state(), c.sound()
	case tag == bucketTag && len(text) == 32:
		b := bucket{last: r.take(7), whole: r.take(6), frac: r.take(6), num: r.take(6), den: r.take(6)}
		return b.state(), b.sound()
	}
	return State{}, false
}

// The bounds are those of the scripts' NAME-fits.lua.

func (w window) sound() bool { return w.period >= 1 && w.count <= MaxWindowCount }

func (c counter) sound() bool {
	return c.period >= 1 && c.period <= MaxPeriod && c.start%c.period == 0 && c.prev <= MaxCounterCount && c.cur <= MaxCounterCount
}

func (b bucket) sound() bool {
	return b.last <= maxDrain && b.whole <= MaxBurst && b.frac < b.den &&
		b.num >= 1 && b.num <= MaxBucketCount && b.den <= MaxPeriod &&
		productAtMost(b.whole, b.den, 4*maxDrain, b.num) // wider than the script's, which is a rounded product
}

type wireReader struct{ rest string }

func (r *wireReader) take(n int) int64 {
	v := int64(0)
	for i := range n {
		v = v<<8 | int64(r.rest[i])
	}
	r.rest = r.rest[n:]
	return v
}

// Wire is the limit as the scripts read it: its kind and five doubles.
func (l *Limit) Wire() string {
	b := make([]byte, 0, 41)
	b = append(b, byte(l.Kind))
	for _, v := range [...]int64{l.Count, l.Period, l.Burst, l.Num, l.Den} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
	}
	return string(b)
}

// FullDrain is the time in µs, rounded up, that a full bucket takes to empty.
func (l *Limit) FullDrain() int64 {
	return bucket{whole: l.Burst, num: l.Num, den: l.Den}.drain(0)
}
