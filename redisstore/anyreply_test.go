package redisstore_test

import (
	"context"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/redisstore"
)

// Whatever a server replies is believed or refused, and overflows nothing: what
// several share is read where no caller could recover.
func TestAnyReply(t *testing.T) {
	r, reply := randomness(t), ""
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(context.Context, ...any) (any, error) { return reply, nil }))
	if err != nil {
		t.Fatal(err)
	}
	number := func(bits int) int64 { return r.Int64N(1 << (1 + r.IntN(bits))) }
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		limits := extremeLimits(t, a)
		believed := 0
		for range rounds(20_000) {
			limit, times := limits[r.IntN(len(limits))], 1+r.IntN(4)
			reply = string(redisstore.Double(number(62) - number(62)*r.Int64N(2)))
			if times > 1 {
				reply += string(redisstore.Double(r.Int64N(6) - 1))
			}
			reply += string(rune(r.IntN(8))) + anyState(limit, number)
			if r.IntN(8) == 0 {
				reply = reply[:r.IntN(len(reply))]
			}
			if _, err := redisstore.Together(store, []weir.Check{{Key: key("a"), Limit: limit, Cost: 1 + number(62)}}, times); err == nil {
				believed++
			}
		}
		if believed < rounds(20_000)/50 {
			t.Errorf("only %d replies were believed", believed)
		}
	})
}

// anyState is of numbers from 0 with up to so many bits, as scripts tell a state
// under the limit or, of a log, what follows from it.
func anyState(l *weir.Limit, number func(bits int) int64) string {
	switch period := l.Compiled().Period; l.Algorithm() {
	case weir.SlidingLog:
		return string(redisstore.Double(number(62))) + string(redisstore.Double(number(62))) + string(redisstore.Double(number(62)))
	case weir.FixedWindow:
		return "\x15" + fields('W', number(55), 7, number(47), 6, number(53), 7)
	case weir.SlidingCounter:
		used := min(2*l.Capacity(), 1<<32) + 1
		return "\x18" + fields('C', period*(number(50)/period), 7, period, 6, number(62)%used, 5, number(62)%used, 5)
	default:
		return "\x20" + fields('B', number(53), 7, number(41), 6, 0, 6, 1+number(40), 6, 1+number(44), 6)
	}
}
