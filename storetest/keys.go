package storetest

import (
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// parts are texts that a store which joins, escapes, cuts or hashes the parts of
// a key may confuse with each other, in any place.
var parts = []string{
	"", "a", "b", "ab", "a:b", ":", "::", "a:", ":b", "{a}", "{", "}", "{}", "}{", "%3A", "%", "%%", "%25",
	"a\x00b", "\x00", "\xff", "\xfe", "\uFFFD", "a\n", "a\r\n", " a", "A", "é", "e\u0301", "*", "a*", "?", "[a]", `\`, "/", "|", "\x1f",
}

// Two keys that differ in any part, or in how the same text is split into parts,
// are two keys; so are keys of different layers and limits.
func testKeys(t *testing.T, newStore NewStore) {
	t.Run("hostile texts", func(t *testing.T) {
		tr := newTrial(t, newStore)
		tr.neverMeet(splits(parts))
	})
	t.Run("long texts", func(t *testing.T) {
		tr := newTrial(t, newStore)
		tr.neverMeet(longKeys())
	})
	t.Run("one name in two layers", func(t *testing.T) {
		tr := newTrial(t, newStore)
		tr.neverMeet([]weir.Key{
			{Layer: "edge", Limit: "a", Identity: "ip:1"}, {Layer: "gateway", Limit: "a", Identity: "ip:1"},
			{Layer: "edge", Limit: "b", Identity: "ip:1"}, {Layer: "edge", Limit: "a", Identity: "ip:2"},
		})
	})
	t.Run("reset and refund name one key", func(t *testing.T) { testOneKeyNamed(newTrial(t, newStore)) })
}

// neverMeet uses each key up and sees that none was used before.
func (tr *trial) neverMeet(keys []weir.Key) {
	tr.Helper()
	limit := perMinute(tr, 1, weir.FixedWindow)
	for _, key := range keys {
		if r := tr.take(key, limit, 1); !r.Allowed {
			tr.Errorf("%.60q was used by another key", key)
		}
	}
	for _, key := range keys {
		if r := tr.take(key, limit, 1); r.Allowed {
			tr.Errorf("%.60q was forgotten", key)
		}
	}
	tr.holdsKeys(len(keys), "in the end")
}

// splits puts the texts in every place of a key, and every two of a few of them
// side by side in every two places.
func splits(texts []string) []weir.Key {
	seen := map[weir.Key]bool{}
	var keys []weir.Key
	add := func(layer, limit, identity string) {
		if key := (weir.Key{Layer: layer, Limit: limit, Identity: identity}); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	for _, text := range texts {
		add(text, "", "")
		add("", text, "")
		add("", "", text)
		add("l", "m", text)
		add("l", text, "i")
		add(text, "m", "i")
	}
	few := []string{"", "a", ":", "a:", ":a", "a:a", "{a}", "\x00", "%3A"}
	for _, a := range few {
		for _, b := range few {
			add(a, b, "")
			add(a, "", b)
			add("", a, b)
			add(a, b, "x")
		}
	}
	return keys
}

// longKeys are of 10 kB and differ in one byte, at the start, in the middle, at
// the end or in length.
func longKeys() []weir.Key {
	const size = 10_000
	long := strings.Repeat("x", size)
	texts := []string{
		long, long[1:], long + "x", "y" + long[1:], long[1:] + "y", long[:size/2] + "y" + long[size/2+1:],
		long[1:] + ":", long[1:] + "\x00", long[1:] + "\xff",
	}
	var keys []weir.Key
	for _, text := range texts {
		keys = append(keys, weir.Key{Layer: text}, weir.Key{Limit: text}, weir.Key{Identity: text},
			weir.Key{Layer: "l", Limit: "m", Identity: text})
	}
	return keys
}

// A reset or a refund of a key whose name looks like a pattern, or like a part
// of another, is of that key alone.
func testOneKeyNamed(tr *trial) {
	limit := perMinute(tr, 10, weir.FixedWindow)
	names := []string{"a*", "a", "ab", "a?", "[ab]", "a:b", "{a}", "*", ""}
	decisions := map[string]weir.Decision{}
	for _, name := range names {
		decisions[name] = tr.decide(weir.Check{Key: identity(name), Limit: limit, Cost: 4})
	}
	tr.reset(identity("a*"), identity("*"))
	tr.refund(decisions["a?"])
	want := map[string]int64{"a*": 10, "*": 10, "a?": 10}
	for _, name := range names {
		left, touched := want[name]
		if !touched {
			left = 6
		}
		tr.wants(identity(name), limit, left, "of "+name)
	}
}
