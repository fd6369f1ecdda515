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

// request is the call of takeScript for so many callers who ask the same.
func (s *Store) request(checks []weir.Check, times int) call {
	keys := make([]string, 0, len(checks))
	args := make([]string, 1, 1+len(checks))
	cells := newCells(len(checks))
	head := make([]byte, 0, 24+13*len(checks))
	head = appendDouble(head, s.now())
	head = appendDouble(head, s.margin.Milliseconds())
	head = appendDouble(head, int64(times))
	for i := range checks {
		c := &checks[i]
		var cell int
		cell, keys = cells.of(s.name(&c.Key), keys)
		head = binary.LittleEndian.AppendUint32(head, uint32(cell+1))
		head = append(head, flags(checks, i))
		head = appendDouble(head, wireCost(c.Cost))
		args = append(args, c.Limit.Wire())
	}
	args[0] = string(head)
	return call{keys, args}
}

// cells are where keys stand that may come twice: by name where they are many; a
// few are compared faster than that.
type cells map[string]int

const fewKeys = 16

func newCells(keys int) cells {
	if keys <= fewKeys {
		return nil
	}
	return make(cells, keys)
}

// of is the cell of a name, which is one of the keys afterwards.
func (c cells) of(name string, keys []string) (int, []string) {
	cell, found := c[name]
	if c == nil {
		cell = slices.Index(keys, name)
		found = cell >= 0
	}
	if found {
		return cell, keys
	}
	if c != nil {
		c[name] = len(keys)
	}
	return len(keys), append(keys, name)
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

func appendDouble(b []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
}
