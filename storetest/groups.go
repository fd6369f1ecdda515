package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

// groupCase is the story of one request that is made several times at one
// instant. In request, groups are separated by |, each with the words that
// describe it; a check is its key's letter and capacity, then *COST unless that
// is 1, then ! where it counts all and ? where it peeks. In answers there is a
// word for each time and a letter for each check: C charged, p passes but is not
// charged, r refused. left is what remains of the keys.
type groupCase struct {
	name, request, answers, left string
}

var groupCases = []groupCase{
	{"arriving: charged up to the first refusal", "a1 | b3", "CC rp rp", "a0 b2"},
	{"arriving: what comes before a refusal stays charged", "a3 | b1", "CC Cr Cr rr", "a0 b0"},
	{"arriving: no group is the same", "nil a3 | nil b1", "CC Cr", "a1 b0"},
	{"arriving: costs", "a5*2 | b5*3", "CC Cr rr", "a1 b2"},
	{"admitted: free when a later group refuses", "admitted a3 | b1", "CC pr pr", "a2 b0"},
	{"admitted: free when an earlier group refused", "a1 | admitted b3", "CC rp", "a0 b2"},
	{"admitted: all three", "admitted a3 | admitted b1 | admitted c3", "CCC prp prp", "a2 b0 c2"},
	{"admitted between arriving ones", "a3 | admitted b3 | c1", "CCC Cpr Cpr rpr", "a0 b2 c0"},
	{"independent: each alone", "independent a3 b1 c3", "CCC CrC CrC rrr", "a0 b0 c0"},
	{"independent: charged after a refusal too", "a1 | independent b3", "CC rC rC rr", "a0 b0"},
	{"independent: its refusal stops arriving ones", "independent a1 | b3", "CC rp", "a0 b2"},
	{"independent: its refusal frees admitted ones before", "admitted a3 | independent b1", "CC pr", "a2 b0"},
	{"independent: its refusal frees admitted ones after", "independent a1 | admitted b3", "CC rp", "a0 b2"},

	{"all or nothing: the last of the group refuses", "a3 b1", "CC pr pr", "a2 b0"},
	{"all or nothing: the first of the group refuses", "a1 b3", "CC rp rp", "a0 b2"},
	{"all or nothing: later groups are peeked", "a3 b1 | c3", "CCC prp", "a2 b0 c2"},
	{"all or nothing: earlier groups stay charged", "a3 | b3 c1", "CCC Cpr", "a1 b2 c0"},
	{"all or nothing: admitted", "admitted a3 b3 | c1", "CCC ppr", "a2 b2 c0"},

	{"shadow: refuses nobody", "shadow a1 | b3", "CC rC rC rr", "a0 b0"},
	{"shadow: after the enforced", "b3 | shadow a1", "CC Cr Cr rr", "a0 b0"},
	{"shadow: only peeked after a refusal", "b1 | shadow a3", "CC rp", "a2 b0"},
	{"shadow: admitted", "shadow admitted a3 | b1", "CC pr", "a2 b0"},
	{"shadow: its refusal frees no admitted group", "admitted b3 | shadow a1", "CC Cr Cr", "a0 b0"},
	{"shadow: all or nothing", "shadow a3 b1 | c3", "CCC prC prC", "a2 b0 c0"},
	{"shadow: independent", "shadow independent a3 b1 | c3", "CCC CrC CrC", "a0 b0 c0"},

	{"cost 0 always passes", "a1*0 b1", "pC pr", "a1 b0"},
	{"a blocked limit refuses the group", "a3 b0", "pr pr", "a3 b0"},
	{"a blocked limit after an arriving one", "a3 | b0", "Cr Cr Cr rr", "a0 b0"},
	{"a blocked limit after an admitted one", "admitted a3 | b0", "pr pr", "a3 b0"},
	{"above the capacity", "admitted a3 | b3*4", "pr pr", "a3 b3"},
	{"a peek is not charged", "a1? b3", "pC pC pC", "a1 b0"},
	{"a peek that fails refuses the group", "a0? b3", "rp", "a0 b3"},

	{"one key twice: independent", "independent a3*2 a3*2", "Cr rr", "a1"},

	{"count all: a refusal by its own group counts", "a3! b1", "CC Cr Cr rr", "a0 b0"},
	{"count all: a refusal by a later group counts", "admitted a3! | b1", "CC Cr Cr rr", "a0 b0"},
	{"count all: not what was refused before it", "b1 | a3!", "CC rp rp", "a2 b0"},
}

// Groups are charged as their kind says. That holds for keys of one identity and
// of several, which may live on different nodes.
func testGroups(t *testing.T, newStore NewStore) {
	eachAlgorithm(t, newStore, func(tr *trial, a weir.Algorithm) {
		for _, c := range groupCases {
			if strings.Contains(c.request, "!") && a != weir.FixedWindow {
				continue
			}
			tr.Run(c.name, func(t *testing.T) {
				c.play(tr.in(t), a, func(letter string) weir.Key {
					return weir.Key{Layer: c.name, Limit: letter, Identity: "one"}
				})
				c.play(tr.in(t), a, func(letter string) weir.Key {
					return weir.Key{Layer: c.name, Limit: "many", Identity: letter}
				})
			})
		}
	})
}

// in is the trial within a test of its own.
func (tr *trial) in(t *testing.T) *trial { return &trial{T: t, store: tr.store, now: tr.now} }

func (c *groupCase) play(tr *trial, a weir.Algorithm, key func(letter string) weir.Key) {
	tr.Helper()
	checks, limits := c.checks(tr, a, key)
	for i, want := range strings.Fields(c.answers) {
		d := tr.decide(checks...)
		if got := verdicts(d.Results); got != want {
			tr.Errorf("time %d: %s, want %s (%+v)", i+1, got, want, d.Results)
		}
		tr.consistent(d)
	}
	for _, left := range strings.Fields(c.left) {
		letter := left[:1]
		tr.wants(key(letter), limits[letter], number(tr, left[1:]), "of "+letter)
	}
}

// verdicts is a letter for each result.
func verdicts(results []weir.Result) string {
	var b strings.Builder
	for _, r := range results {
		switch {
		case r.Charged:
			b.WriteByte('C')
		case r.Allowed:
			b.WriteByte('p')
		default:
			b.WriteByte('r')
		}
	}
	return b.String()
}

// consistent checks what holds for every answer: it tells what is left after the
// whole request, and a refused check gets a wait.
func (tr *trial) consistent(d weir.Decision) {
	tr.Helper()
	for i, r := range d.Results {
		c := d.Checks[i]
		if left := tr.remaining(c.Key, c.Limit); r.Remaining != left {
			tr.Errorf("%s: the answer says that %d remain, but %d do", c.Key.Limit, r.Remaining, left)
		}
		if never := r.RetryAfter == weir.Never; never != (r.Reason == weir.ExceedsCapacity || r.Reason == weir.LimitBlocked) {
			tr.Errorf("%s: a wait of %s for the reason %q", c.Key.Limit, r.RetryAfter, r.Reason)
		}
		if !r.Charged && r.Before != (weir.Level{}) {
			tr.Errorf("%s: not charged, with a level before: %+v", c.Key.Limit, r)
		}
		switch {
		case r.Allowed && (r.Reason != weir.NoReason || r.RetryAfter != 0):
			tr.Errorf("%s: allowed with a reason or a wait: %+v", c.Key.Limit, r)
		case !r.Allowed && (r.Charged || r.Reason == weir.NoReason || r.RetryAfter <= 0 || r.NextAfter != r.RetryAfter):
			tr.Errorf("%s: refused and charged, or without a reason or a wait: %+v", c.Key.Limit, r)
		}
	}
}

// checks reads c.request.
func (c *groupCase) checks(tr *trial, a weir.Algorithm, key func(letter string) weir.Key) ([]weir.Check, map[string]*weir.Limit) {
	var checks []weir.Check
	limits := map[string]*weir.Limit{}
	for text := range strings.SplitSeq(c.request, "|") {
		group := &weir.Group{}
		for _, word := range strings.Fields(text) {
			switch word {
			case "nil":
				group = nil
			case "admitted":
				group.Charge = weir.Admitted
			case "independent":
				group.Charge = weir.Independent
			case "shadow":
				group.Shadow = true
			default:
				check := readCheck(tr, a, word)
				letter := word[:1]
				check.Key, check.Group, limits[letter] = key(letter), group, check.Limit
				checks = append(checks, check)
			}
		}
	}
	return checks, limits
}

func readCheck(tr *trial, a weir.Algorithm, word string) weir.Check {
	word, peek := strings.CutSuffix(word, "?")
	word, countAll := strings.CutSuffix(word, "!")
	capacity, cost, found := strings.Cut(word[1:], "*")
	if !found {
		cost = "1"
	}
	options := []weir.LimitOption{weir.WithAlgorithm(a)}
	if countAll {
		options = append(options, weir.WithCountAll())
	}
	limit := limitOf(tr, weir.PerMinute(number(tr, capacity)), options...)
	return weir.Check{Limit: limit, Cost: number(tr, cost), Peek: peek}
}

func number(tr *trial, text string) int64 {
	tr.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		tr.Fatal(fmt.Errorf("set-up: %w", err))
	}
	return n
}
