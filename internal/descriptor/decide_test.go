package descriptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/descriptor"
)

// trial decides by a configuration in memory, on a clock that stands still.
type trial struct {
	testing.TB
	set   *descriptor.Set
	store *weir.MemoryStore
	now   time.Time
}

func newTrial(t testing.TB, text string) *trial {
	t.Helper()
	set, _, err := descriptor.Load([]descriptor.File{file("f.yaml", text)})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{TB: t, set: set, now: time.Date(2026, 7, 15, 13, 24, 17, 0, time.UTC)}
	tr.store = weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return tr.now }})
	t.Cleanup(func() { tr.store.Close() })
	return tr
}

// entries reads "key=value,key=value".
func entries(text string) (all []descriptor.Entry) {
	for _, part := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		all = append(all, descriptor.Entry{Key: key, Value: value})
	}
	return all
}

func hits(text string, n int64) descriptor.Descriptor {
	return descriptor.Descriptor{Entries: entries(text), Hits: n}
}

func (tr *trial) ask(all ...descriptor.Descriptor) descriptor.Answer {
	tr.Helper()
	a, err := tr.set.Decide(context.Background(), tr.store, &descriptor.Request{Domain: "d", Descriptors: all})
	if err != nil {
		tr.Fatal(err)
	}
	return a
}

// limit is the one in the single descriptor's answer, or -1.
func (tr *trial) limit(text string) int {
	tr.Helper()
	rule := tr.ask(hits(text, 1)).Statuses[0].Rule
	if rule == nil {
		return -1
	}
	return int(rule.Requests)
}

const matching = `
domain: d
descriptors:
  - {key: p, value: a*c, rate_limit: {unit: day, requests_per_unit: 1}}
  - {key: p, value: "a*b*c", rate_limit: {unit: day, requests_per_unit: 2}}
  - {key: p, value: "*z", rate_limit: {unit: day, requests_per_unit: 3}}
  - {key: p, value: abc, rate_limit: {unit: day, requests_per_unit: 4}}
  - {key: p, rate_limit: {unit: day, requests_per_unit: 5}}
  - {key: q, value: "x*x", rate_limit: {unit: day, requests_per_unit: 6}}
  - {key: q, value: "a*b*b", rate_limit: {unit: day, requests_per_unit: 7}}
  - {key: "s*", rate_limit: {unit: day, requests_per_unit: 8}}
  - key: t
    value: "*"
    descriptors:
      - {key: u, rate_limit: {unit: day, requests_per_unit: 9}}
  - key: t
    value: deep
`

func TestMatching(t *testing.T) {
	tr := newTrial(t, matching)
	for text, want := range map[string]int{
		"p=abc":     4,  // exactly
		"p=ac":      1,  // "*" is no text, too
		"p=a..b..c": 1,  // the first in the file
		"p=az":      3,  //
		"p=A":       5,  // the key alone
		"p=":        5,  //
		"q=x":       -1, // not both ends at once
		"q=xx":      6,  //
		"q=ab":      -1, //
		"q=abb":     7,  //
		"q=abxb":    7,  //
		"s*=v":      8,  // a key has no wildcards
		"sx=v":      -1, //
		"t=any,u=1": 9,  //
		"t=deep,u=": -1, // what matches best has nothing below
		"t=any":     -1, // no limit there
		"t=any,v=1": -1, //
		"u=1,t=any": -1, // the order counts
		"p=A,u=1":   -1, // too deep
	} {
		if got := tr.limit(text); got != want {
			t.Errorf("%s: limit %d, want %d", text, got, want)
		}
	}
}

// No two lists of entries that differ are counted together, whatever characters
// callers choose. The predecessor counts the first two as one.
func TestKeysDoNotCollide(t *testing.T) {
	tr := newTrial(t, `
domain: d
descriptors:
  - {key: user, rate_limit: {unit: day, requests_per_unit: 1}, descriptors: [{key: path, rate_limit: {unit: day, requests_per_unit: 1}}]}
  - {key: "user_victim", rate_limit: {unit: day, requests_per_unit: 1}}
  - {key: "user=victim|path", rate_limit: {unit: day, requests_per_unit: 1}}
  - {key: "~override/day", rate_limit: {unit: hour, requests_per_unit: 1}}
`)
	all := []descriptor.Descriptor{
		hits("user=victim_path_/pay", 1), hits("user=victim,path=/pay", 1), hits("user_victim=path_/pay", 1),
		{Entries: []descriptor.Entry{{Key: "user", Value: "victim|path=/pay"}}, Hits: 1},
		{Entries: []descriptor.Entry{{Key: "user", Value: "victim%7Cpath%3D/pay"}}, Hits: 1},
		{Entries: []descriptor.Entry{{Key: "user=victim|path", Value: "/pay"}}, Hits: 1},
		{Entries: []descriptor.Entry{{Key: "~override/day", Value: "v"}}, Hits: 1},
		{Entries: []descriptor.Entry{{Key: "~override/day", Value: "v"}}, Hits: 1, Override: &descriptor.Override{Requests: 1, Unit: descriptor.Day}},
		{Entries: []descriptor.Entry{{Key: "~override/day", Value: "v"}}, Hits: 1, Override: &descriptor.Override{Requests: 1, Unit: descriptor.Minute}},
		hits("user=", 1), hits("user=,path=", 1),
	}
	for _, d := range all {
		if a := tr.ask(d); !a.Allowed {
			t.Errorf("%v was counted before", d.Entries)
		}
	}
	if n := tr.store.Len(); n != len(all) {
		t.Errorf("%d keys for %d callers", n, len(all))
	}
}

func FuzzIdentity(f *testing.F) {
	f.Add("user", "victim_path_/pay", "user|a=b", "%7C~")
	set, _, err := descriptor.Load([]descriptor.File{file("f.yaml", "domain: d\n")})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2 string) {
		// The key by which a descriptor is counted is one that a reset finds.
		in := &descriptor.Request{Domain: "d", Descriptors: []descriptor.Descriptor{{
			Entries:  []descriptor.Entry{{Key: k1, Value: v1}, {Key: k2, Value: v2}},
			Override: &descriptor.Override{Requests: 1, Unit: descriptor.Second}, Hits: 1,
		}}}
		store := &recorder{}
		if _, err := set.Decide(t.Context(), store, in); err != nil {
			t.Fatal(err)
		}
		key := store.checks[0].Key
		keys, err := set.Keys(key.Layer, key.Identity)
		if err != nil || keys[0] != key {
			t.Errorf("%q: %v %v", key.Identity, keys, err)
		}
	})
}

// recorder admits everything and notes what it was asked.
type recorder struct {
	weir.Store
	checks []weir.Check
	err    error
}

func (r *recorder) Take(_ context.Context, checks []weir.Check, results []weir.Result) error {
	r.checks = checks
	for i := range results {
		results[i] = weir.Result{Allowed: true}
	}
	return r.err
}

func (r *recorder) Refund(context.Context, weir.ID, []weir.Charge) (bool, error) { return false, r.err }

// With an algorithm a limit is weir's: a refusal costs nothing, and a burst is the
// capacity.
func TestAlgorithms(t *testing.T) {
	tr := newTrial(t, one("{key: k, rate_limit: {unit: 10s, requests_per_unit: 10, algorithm: gcra, burst: 4}}"))
	for range 3 {
		if a := tr.ask(hits("k=v", 6)); a.Allowed || a.Statuses[0].Remaining != 4 {
			t.Errorf("%+v", a.Statuses[0])
		}
	}
	a := tr.ask(hits("k=v", 4))
	if s := a.Statuses[0]; !a.Allowed || s.Remaining != 0 || s.Reset != 4*time.Second || s.Rule.Unit != descriptor.Other {
		t.Errorf("%+v", s)
	}
	if a := tr.ask(hits("k=v", 2)); a.Allowed || a.Statuses[0].Reset != 2*time.Second {
		t.Errorf("%+v", a.Statuses[0])
	}
	if a := tr.ask(hits("k=v", 0)); a.Allowed || !a.Statuses[0].Over {
		t.Errorf("without hits, where not one more would pass: %+v", a.Statuses[0])
	}
	tr.now = tr.now.Add(time.Second)
	if a := tr.ask(hits("k=v", 0)); !a.Allowed || a.Statuses[0].Remaining != 1 {
		t.Errorf("without hits, where one would pass: %+v", a.Statuses[0])
	}
}

// Hits that are given back are there again, under every algorithm that knows no
// single takes, never more than the capacity.
func TestGiveBack(t *testing.T) {
	for _, algorithm := range []string{"", "algorithm: fixed-window", "algorithm: gcra", "algorithm: token-bucket", "algorithm: sliding-counter"} {
		t.Run(algorithm, func(t *testing.T) {
			tr := newTrial(t, one("{key: k, rate_limit: {unit: day, requests_per_unit: 10, "+algorithm+"}}"))
			back := func(n int64) descriptor.Descriptor {
				return descriptor.Descriptor{Entries: entries("k=v"), Hits: n, GiveBack: true}
			}
			tr.ask(hits("k=v", 7))
			for _, c := range []struct {
				n         int64
				remaining uint32
			}{{2, 5}, {0, 5}, {1, 6}, {100, 10}, {3, 10}} {
				if a := tr.ask(back(c.n)); !a.Allowed || a.Statuses[0].Over || a.Statuses[0].Remaining != c.remaining {
					t.Errorf("%d given back: %+v, want %d remaining", c.n, a.Statuses[0], c.remaining)
				}
			}
		})
	}
}

// Several descriptors of one request that are counted together each tell what was
// left after them.
func TestSameDescriptorTwice(t *testing.T) {
	tr := newTrial(t, one("{key: k, rate_limit: {unit: day, requests_per_unit: 10}}"))
	a := tr.ask(hits("k=v", 2), hits("k=v", 0), hits("k=w", 1), hits("k=v", 3))
	for i, want := range []uint32{8, 8, 9, 5} {
		if got := a.Statuses[i].Remaining; got != want {
			t.Errorf("descriptor %d: %d remaining, want %d", i, got, want)
		}
	}
}

// Without the store a rule's on_error answers; nobody's figures are made up.
func TestNoDecision(t *testing.T) {
	tr := newTrial(t, one("{key: k, rate_limit: {unit: day, requests_per_unit: 10, on_error: deny}}"))
	down := &recorder{err: weir.ErrUnavailable}
	in := &descriptor.Request{Domain: "d", Descriptors: []descriptor.Descriptor{hits("k=v", 1)}}
	if _, err := tr.set.Decide(t.Context(), down, in); !errors.Is(err, weir.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if got := down.checks[0].Group; got.OnError != weir.OnErrorDeny || got.Charge != weir.Independent {
		t.Errorf("%+v", got)
	}
}

// A reset names the rule's state and those of limits that requests brought.
func TestKeys(t *testing.T) {
	tr := newTrial(t, matching)
	tr.ask(hits("p=a..c", 1))
	if a := tr.ask(hits("p=a..c", 1)); a.Allowed {
		t.Fatal("not counted")
	}
	keys, err := tr.set.Keys("envoy/d", "p=a..c")
	if err != nil || len(keys) != 8 {
		t.Fatalf("%v %v", keys, err)
	}
	if err := tr.store.Reset(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	if a := tr.ask(hits("p=a..c", 1)); !a.Allowed {
		t.Error("still counted")
	}
	for _, c := range [][2]string{{"envoy/none", "p=a"}, {"d", "p=a"}, {"envoy/d", "p"}, {"envoy/d", "p=%zz"}, {"envoy/d", "p=a=b"}} {
		if keys, err := tr.set.Keys(c[0], c[1]); err == nil {
			t.Errorf("%v: %v", c, keys)
		}
	}
}
