package resp

import (
	"github.com/weirhq/weir"
)

const (
	maxBatch = 128      // checks decided together
	maxReady = 32 << 10 // bytes of replies that need no decision
	keepOut  = 32 << 10 // bytes
)

// batch holds the replies to what has arrived together, until they are written:
// those that are ready, as text, and between them those that wait for a decision.
type batch struct {
	ready   []byte
	keys    []byte // of the checks, one after the other
	waiting []waiting
	checks  []weir.Check
	results []weir.Result
	out     []byte
	counts  [len(commandTable) + 1]int // by command
}

// waiting is a reply that a check is to give.
type waiting struct {
	keyEnd int // in keys
	at     int // in ready: what comes before
}

// ask puts a check in line; its key is copied.
func (b *batch) ask(space string, key []byte, limit *weir.Limit, cost int64) {
	b.keys = append(b.keys, key...)
	b.waiting = append(b.waiting, waiting{len(b.keys), len(b.ready)})
	b.checks = append(b.checks, weir.Check{Key: weir.Key{Layer: layer, Limit: space}, Limit: limit, Cost: cost})
}

func (b *batch) full() bool { return len(b.waiting) == maxBatch || len(b.ready) > maxReady }

// render decides and gives the text of all replies.
func (b *batch) render(c *connection) []byte {
	c.tell()
	if len(b.waiting) == 0 {
		return b.ready
	}
	decided := b.decide(c)
	at := 0
	for i, w := range b.waiting {
		b.out = append(b.out, b.ready[at:w.at]...)
		at = w.at
		if i < decided {
			b.out = appendResult(b.out, &b.results[i])
		} else {
			b.out = append(b.out, noDecision...)
		}
	}
	b.out = append(b.out, b.ready[at:]...)
	return b.out
}

// decide gives how many are decided.
func (b *batch) decide(c *connection) int {
	keys, start := string(b.keys), 0 // one copy for all, which the store may keep
	for i, w := range b.waiting {
		b.checks[i].Key.Identity = keys[start:w.keyEnd]
		start = w.keyEnd
	}
	if cap(b.results) < len(b.checks) {
		b.results = make([]weir.Result, cap(b.checks))
	}
	b.results = b.results[:len(b.checks)]
	decided, _ := c.engine.DecideEach(c.ctx, b.checks, b.results) // which counts and logs
	return decided
}

func (b *batch) clear() {
	clear(b.checks) // of keys
	b.ready, b.keys, b.out = kept(b.ready), kept(b.keys), kept(b.out)
	b.waiting, b.checks = b.waiting[:0], b.checks[:0]
}

// kept is an empty buffer, the same one unless that has grown out of the usual.
func kept(b []byte) []byte {
	if cap(b) > keepOut {
		return nil
	}
	return b[:0]
}
