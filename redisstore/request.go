package redisstore

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/weirhq/weir"
)

// Flags of a check, as driver.lua reads them; the charging stands in bits 4, 5.
const (
	flagPeek     = 1
	flagShadow   = 2
	flagStarts   = 4
	flagCountAll = 8
	flagEnds     = 64

	chargingShift = 4
)

// wireCost is the cost as a double. What is above every capacity may be rounded,
// but not down to the largest of them, 2^53.
func wireCost(n int64) int64 {
	if n > 1<<53 {
		return 1<<53 + 2
	}
	return n
}

// order is a request, and how many callers ask the same at once.
type order struct {
	checks []weir.Check
	times  int
}

// request is the call of takeScript for orders, one after the other.
func (s *Store) request(orders ...order) call {
	w := s.newWriter(orders)
	for i := range orders {
		w.add(orders[i])
	}
	w.args[0] = string(w.head)
	return call{w.keys, w.args, len(orders) > 1}
}

// writer puts a call of takeScript together; driver.lua has the format.
type writer struct {
	store *Store
	keys  []string
	args  []string
	head  []byte
}

const (
	headSize, orderSize, checkSize = 16, 12, 17 // bytes

	usualLimits = 4
)

func (s *Store) newWriter(orders []order) *writer {
	checks := 0
	for i := range orders {
		checks += len(orders[i].checks)
	}
	w := &writer{
		store: s,
		keys:  make([]string, 0, checks),
		args:  make([]string, 1, 1+usualLimits),
		head:  make([]byte, 0, headSize+orderSize*len(orders)+checkSize*checks),
	}
	w.double(s.now())
	w.double(s.margin.Milliseconds())
	return w
}

func (w *writer) add(o order) {
	w.long(len(o.checks))
	w.double(int64(o.times))
	first := len(w.keys)
	cells := newCells(len(o.checks))
	for i := range o.checks {
		c := &o.checks[i]
		w.long(w.cell(cells, first, w.store.name(&c.Key)))
		w.long(w.limit(c.Limit))
		w.head = append(w.head, flags(o.checks, i))
		w.double(wireCost(c.Cost))
	}
}

// cells are where an order's keys stand, by name where they are many; a few are
// compared faster than that.
type cells map[string]int

const fewKeys = 16

func newCells(keys int) cells {
	if keys <= fewKeys {
		return nil
	}
	return make(cells, keys)
}

// cell is where a key of the order stands whose first key stands at first: from 1.
func (w *writer) cell(known cells, first int, name string) int {
	at, found := known[name]
	if known == nil {
		at = first + slices.Index(w.keys[first:], name)
		found = at >= first
	}
	if found {
		return at + 1
	}
	if known != nil {
		known[name] = len(w.keys)
	}
	w.keys = append(w.keys, name)
	return len(w.keys)
}

// limit is which argument has the text of a limit. It is looked for among the last
// few: a text that comes twice does no harm.
func (w *writer) limit(l *weir.Limit) int {
	for i := len(w.args) - 1; i > max(0, len(w.args)-1-usualLimits); i-- {
		if w.args[i] == l.Wire() {
			return i + 1
		}
	}
	w.args = append(w.args, l.Wire())
	return len(w.args)
}

// now is the instant to decide at, µs, or -1 for the server's.
func (s *Store) now() int64 {
	if s.clock == nil {
		return -1
	}
	return max(0, s.clock().UnixMicro())
}

func flags(checks []weir.Check, i int) byte {
	c := &checks[i]
	var f byte
	if c.Peek {
		f |= flagPeek
	}
	if c.Limit.CountsAll() {
		f |= flagCountAll
	}
	if c.Group != nil {
		f |= byte(c.Group.Charge) << chargingShift
		if c.Group.Shadow {
			f |= flagShadow
		}
	}
	if i == 0 || !sameGroup(checks, i) {
		f |= flagStarts
	}
	if i == len(checks)-1 || !sameGroup(checks, i+1) {
		f |= flagEnds
	}
	return f
}

func (w *writer) long(v int) { w.head = binary.LittleEndian.AppendUint32(w.head, uint32(v)) }

func (w *writer) double(v int64) { w.head = appendDouble(w.head, v) }

func appendDouble(b []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
}
