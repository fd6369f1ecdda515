package resp

import (
	"bytes"

	"github.com/weirhq/weir"
)

// again knows the takes that a connection has asked for last by the bytes around their
// keys: of most clients' these are the same in each command. So a command that differs
// in its key alone is neither taken apart nor checked once more, which took more than
// half of the time that a command costs before it is decided.
type again struct {
	recent [4]asked
	next   int
}

// asked is a take that was put in line: what stood before the length of its key, what
// stood behind the key, and what that means. There is no head where a line of words told
// no length, and it is never met again.
type asked struct {
	head, tail []byte
	limit      *weir.Limit
	cost       int64
}

// find gives the key of the take at the beginning of in, and how many bytes the command
// has: 0 for one that is not known, or not complete.
func (a *again) find(in []byte) (known *asked, key []byte, size int) {
	for i := range a.recent {
		known = &a.recent[i]
		if key, size = known.match(in); size > 0 {
			return known, key, size
		}
	}
	return nil, nil, 0
}

func (a *asked) match(in []byte) (key []byte, size int) {
	if len(a.head) == 0 || !bytes.HasPrefix(in, a.head) {
		return nil, 0
	}
	n, start, err := length(in, len(a.head), "")
	if err != nil || start == 0 || n <= 0 || n > len(in)-start {
		return nil, 0
	}
	if key = in[start : start+n]; !bytes.HasPrefix(in[start+n:], a.tail) {
		return nil, 0
	}
	return key, start + n + len(a.tail)
}

// note remembers a command that was put in line as this check. The key lies within the
// command's text.
func (a *again) note(text, key []byte, check *weir.Check) {
	start := cap(text) - cap(key)
	known := &a.recent[a.next]
	a.next = (a.next + 1) % len(a.recent)
	known.head = append(known.head[:0], text[:bytes.LastIndexByte(text[:start], '$')+1]...)
	known.tail = append(known.tail[:0], text[start+len(key):]...)
	known.limit, known.cost = check.Limit, check.Cost
}
