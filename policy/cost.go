package policy

import (
	"math"
	"net/http"
	"strconv"
)

// cost is what a request takes from a limit.
type cost struct {
	n      int64
	header string // canonical; "" where n says it
}

func (k *compiler) checkCost(path string, c Cost) {
	switch {
	case c.Header != "" && !isToken(c.Header):
		k.fail(path, "write header:X-Cost", "cost names no header")
	case c.Header != "" && c.N != 0:
		k.fail(path, "keep one of them", "cost is a number and a header")
	case c.N < 0:
		k.fail(path, "write a number from 1", "cost is %d", c.N)
	}
	k.sent(path, c.Header, "choose another header")
}

func newCost(c Cost) cost { return cost{max(1, c.N), http.CanonicalHeaderKey(c.Header)} }

// of is what the request takes: the limit's cost as often as the front says.
func (c *cost) of(r *request) int64 {
	n := c.n
	if c.header != "" {
		n = r.headerCost(c.header)
	}
	return multiply(n, r.a.Cost)
}

// multiply saturates: what is too large to say is above every capacity. Below 0
// stays below 0, for the store to refuse.
func multiply(a, b int64) int64 {
	switch {
	case b < 0:
		return b
	case a == 0 || b == 0:
		return 0
	case a > math.MaxInt64/b:
		return math.MaxInt64
	}
	return a * b
}

// headerCost is the cost in a header: 1 where there is none that counts.
func (r *request) headerCost(header string) int64 {
	n, err := strconv.ParseUint(r.trusted(header), 10, 64)
	switch {
	case err != nil && n == math.MaxUint64, n > math.MaxInt64:
		return math.MaxInt64 // out of range: above every capacity, never cheap
	case err != nil:
		return 1
	}
	return int64(n)
}
