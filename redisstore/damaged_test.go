package redisstore_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// damage is a command that puts something under a key which no script has put
// there; KEY stands for its name.
type damage struct {
	name    string
	command []string
}

// foreign are values of other programs, and of weir under another algorithm.
var foreign = []damage{
	{"hash", []string{"hset", "KEY", "a", "1"}},
	{"set", []string{"sadd", "KEY", "a"}},
	{"sorted set", []string{"zadd", "KEY", "1", "a"}},
	{"stream", []string{"xadd", "KEY", "*", "a", "1"}},
	{"list", []string{"rpush", "KEY", "a", "b", "c"}},
	{"list of one", []string{"rpush", "KEY", "a"}},
	{"empty string", []string{"set", "KEY", ""}},
	{"number", []string{"set", "KEY", "42"}},
	{"21 bytes", []string{"set", "KEY", strings.Repeat("x", 21)}},
	{"24 bytes", []string{"set", "KEY", strings.Repeat("x", 24)}},
	{"32 bytes", []string{"set", "KEY", strings.Repeat("x", 32)}},
	{"list of entries of 12 and 14 bytes", []string{"rpush", "KEY", strings.Repeat("x", 12), strings.Repeat("x", 14)}},
}

// absurd are texts with the right tag and length that no script writes.
var absurd = map[weir.Algorithm][]damage{
	weir.GCRA:        bucketDamage,
	weir.TokenBucket: bucketDamage,
	weir.FixedWindow: {
		{"no period", []string{"set", "KEY", fields('W', now, 7, 0, 6, 5, 7)}},
		{"count above 2^53", []string{"set", "KEY", fields('W', now, 7, minute, 6, 1<<54, 7)}},
	},
	weir.SlidingCounter: {
		{"no period", []string{"set", "KEY", fields('C', now, 7, 0, 6, 5, 5, 5, 5)}},
		{"period above 407 days", []string{"set", "KEY", fields('C', 0, 7, 1<<47, 6, 5, 5, 5, 5)}},
		{"a window that starts at no multiple", []string{"set", "KEY", fields('C', now+1, 7, minute, 6, 5, 5, 5, 5)}},
		{"count above 2^32", []string{"set", "KEY", fields('C', now, 7, minute, 6, 0, 5, 1<<33, 5)}},
	},
	weir.SlidingLog: {
		{"no header", []string{"rpush", "KEY", entry(now, 1), entry(now, 1)}},
		{"header alone", []string{"rpush", "KEY", fields('L', 0, 7, minute, 6)}},
		{"header first", []string{"rpush", "KEY", fields('L', 1, 7, minute, 6), entry(now, 1)}},
		{"two headers", []string{"rpush", "KEY", entry(now, 1), fields('L', 1, 7, minute, 6), fields('L', 1, 7, minute, 6)}},
		{"sum above 2^32", []string{"rpush", "KEY", entry(now, 1), fields('L', 1<<33, 7, minute, 6)}},
		{"period above 407 days", []string{"rpush", "KEY", entry(now, 1), fields('L', 1, 7, 1<<47, 6)}},
		{"sum below what has left", []string{"rpush", "KEY", entry(now-2*minute, 5), entry(now-minute+1, 1), fields('L', 1, 7, minute, 6)}},
		{"sum above what is there", []string{"rpush", "KEY", entry(now-2*minute, 5), fields('L', 7, 7, 3*minute, 6)}},
		{"oldest entry cut short", []string{"rpush", "KEY", entry(now, 5)[:11], entry(now, 1), fields('L', 6, 7, minute, 6)}},
		{"a later entry cut short, due now", []string{"rpush", "KEY", entry(now-2*minute, 1), entry(now, 5)[:3], entry(now, 1), fields('L', 7, 7, minute, 6)}},
		{"newest entry cut short", []string{"rpush", "KEY", entry(now, 5), entry(now, 1)[:11], fields('L', 6, 7, minute, 6)}},
	},
}

var bucketDamage = []damage{
	{"fraction of one", []string{"set", "KEY", fields('B', now, 7, 5, 6, 7, 6, 1, 6, 7, 6)}},
	{"no rate", []string{"set", "KEY", fields('B', now, 7, 5, 6, 0, 6, 0, 6, 7, 6)}},
	{"no denominator", []string{"set", "KEY", fields('B', now, 7, 5, 6, 0, 6, 1, 6, 0, 6)}},
	{"rate above 2^40", []string{"set", "KEY", fields('B', now, 7, 5, 6, 0, 6, 1<<41, 6, 7, 6)}},
	{"level above 2^41", []string{"set", "KEY", fields('B', now, 7, 1<<42, 6, 0, 6, 1, 6, 7, 6)}},
	{"period above 407 days", []string{"set", "KEY", fields('B', now, 7, 5, 6, 0, 6, 1, 6, 1<<46, 6)}},
	{"a drain of more than 285 years", []string{"set", "KEY", fields('B', now, 7, 1<<40, 6, 0, 6, 1, 6, 1<<44, 6)}},
	{"instant above 2^53", []string{"set", "KEY", fields('B', 1<<54, 7, 5, 6, 0, 6, 1, 6, 7, 6)}},
}

const minute = 60_000_000

var now = newClock().now.Load()

// fields is a tag and numbers, each followed by its width in bytes.
func fields(tag byte, numbers ...int64) string {
	text := []byte{tag}
	for i := 0; i < len(numbers); i += 2 {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(numbers[i]))
		text = append(text, b[8-numbers[i+1]:]...)
	}
	return string(text)
}

func entry(stamp, cost int64) string { return fields(0, stamp, 7, cost, 5)[1:] }

// A damaged or foreign value is decided as a key never seen, replaced by the first
// take, and counted. No call fails because of it.
func TestDamagedValuesAreReplaced(t *testing.T) {
	server := sharedServer(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		for _, d := range append(foreign, absurd[a]...) {
			t.Run(d.name, func(t *testing.T) { testDamage(t, server, a, d) })
		}
	})
	t.Run("another algorithm's", func(t *testing.T) {
		eachAlgorithm(t, func(t *testing.T, from weir.Algorithm) {
			eachAlgorithm(t, func(t *testing.T, to weir.Algorithm) {
				if from != to && !(from.HasBurst() && to.HasBurst()) {
					testDamage(t, server, to, damage{"state of " + from.String(), nil}, from)
				}
			})
		})
	})
}

func testDamage(t *testing.T, server *redistest.Server, a weir.Algorithm, d damage, from ...weir.Algorithm) {
	replaced := 0
	// The sampler must not see what is put there without a lifetime.
	options := append(newClock().options(), redisstore.WithPrefix("damaged"), redisstore.OnReplaced(func(n int) { replaced += n }))
	store := open(t, urlOf(server), options...)
	limit, k := limitOf(t, weir.PerMinute(10), weir.WithAlgorithm(a)), key(t.Name())
	name := redisstore.KeyName(store, k)
	if d.command != nil {
		command := append([]string{}, d.command...)
		command[1] = name
		server.Do(command...)
	}
	for _, a := range from {
		take(t, store, k, limitOf(t, weir.PerMinute(10), weir.WithAlgorithm(a)), 6)
	}

	before := server.Do("dump", name)
	if r := peek(t, store, k, limit, 10); !r.Allowed || r.Remaining != 10 || replaced != 1 {
		t.Errorf("a peek: %+v, %d replaced", r, replaced)
	}
	if after := server.Do("dump", name); after != before {
		t.Error("a peek has changed the value")
	}
	charge := weir.Charge{Key: k, Limit: limit, Cost: 3, At: now}
	if gave, err := store.Refund(context.Background(), weir.NewID(), []weir.Charge{charge}); gave || err != nil {
		t.Errorf("a refund: %t, %v", gave, err)
	}
	if r := take(t, store, k, limit, 4); !r.Charged || r.Remaining != 6 || replaced != 2 {
		t.Errorf("a take: %+v, %d replaced", r, replaced)
	}
	if r := take(t, store, k, limit, 4); !r.Charged || r.Remaining != 2 || replaced != 2 {
		t.Errorf("a second take: %+v, %d replaced", r, replaced)
	}
	if ttl := server.Do("pttl", name); ttl == "-1" {
		t.Error("the key has no lifetime")
	}
}

// Of a request of several keys those are counted that were damaged.
func TestDamagedValuesAreCountedOnce(t *testing.T) {
	server := sharedServer(t)
	eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
		replaced := 0
		options := append(newClock().options(), redisstore.WithPrefix("damaged"), redisstore.OnReplaced(func(n int) { replaced += n }))
		store := open(t, urlOf(server), options...)
		var checks []weir.Check
		for _, layer := range []string{"first", "damaged", "last", "blocked"} {
			k := weir.Key{Layer: layer, Limit: "limit", Identity: t.Name()}
			limit := limitOf(t, weir.PerMinute(10), weir.WithAlgorithm(a))
			if layer == "blocked" {
				limit = limitOf(t, weir.PerMinute(0), weir.WithAlgorithm(a))
			}
			checks = append(checks, weir.Check{Key: k, Limit: limit, Cost: 1})
		}
		server.Do("set", redisstore.KeyName(store, checks[1].Key), "42")
		for range 2 {
			for i, r := range decide(t, store, checks...) {
				if r.Charged != (i < 3) {
					t.Errorf("check %d: %+v", i, r)
				}
			}
		}
		if replaced != 1 {
			t.Errorf("%d were replaced, 1 was damaged", replaced)
		}
	})
}
