package storetest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/storetest"
)

// Each of these breaks a good store in one way that a store under development
// has been, or may be. The promise that is named must notice it: a test that
// cannot fail promises nothing.
var broken = []struct {
	name    string
	promise string
	breaks  func(*brokenStore)
}{
	{"joins the parts of a key", "keys", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { return weir.Key{Identity: k.Layer + ":" + k.Limit + ":" + k.Identity} }
	}},
	{"leaves the layer out", "keys", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { return weir.Key{Limit: k.Limit, Identity: k.Identity} }
	}},
	{"leaves the limit out", "groups", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { return weir.Key{Layer: k.Layer, Identity: k.Identity} }
	}},
	{"cuts long keys", "keys", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { k.Identity = k.Identity[:min(len(k.Identity), 255)]; return k }
	}},
	{"repairs invalid UTF-8", "keys", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { k.Limit = strings.ToValidUTF8(k.Limit, "\uFFFD"); return k }
	}},
	{"trims blanks", "keys", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { k.Identity = strings.TrimSpace(k.Identity); return k }
	}},
	{"ends keys at NUL", "keys", func(s *brokenStore) {
		s.key = func(k weir.Key) weir.Key { k.Layer, _, _ = strings.Cut(k.Layer, "\x00"); return k }
	}},
	{"resets by pattern", "keys", func(s *brokenStore) { s.resetByPattern = true }},

	{"starts anew when the limit changes", "changed limit", func(s *brokenStore) { s.limitInKey = true }},
	{"fails when the algorithm changes", "changed algorithm", func(s *brokenStore) {
		s.check = func(c *weir.Check) { c.Limit = s.sameKind(c) }
	}},
	{"has one algorithm", "reference", func(s *brokenStore) {
		s.check = func(c *weir.Check) { c.Limit = remake(c.Limit, c.Limit.Rate().Count, weir.FixedWindow) }
	}},
	{"admits one more", "one check", func(s *brokenStore) {
		s.check = func(c *weir.Check) { c.Limit = remake(c.Limit, c.Limit.Rate().Count+1, c.Limit.Algorithm()) }
	}},
	{"admits one more at once", "concurrency", func(s *brokenStore) { s.racy = true }},

	{"takes what it peeks", "peeks", func(s *brokenStore) { s.check = func(c *weir.Check) { c.Peek = false } }},
	{"counts 0 as 1", "one check", func(s *brokenStore) { s.check = func(c *weir.Check) { c.Cost = max(1, c.Cost) } }},
	{"takes less than nothing", "one check", func(s *brokenStore) { s.check = func(c *weir.Check) { c.Cost = max(0, c.Cost) } }},
	{"cuts costs to 32 bits", "one check", func(s *brokenStore) {
		s.check = func(c *weir.Check) { c.Cost = min(c.Cost, int64(int32(c.Cost))) }
	}},
	{"never counts all", "one check", func(s *brokenStore) {
		s.check = func(c *weir.Check) { c.Limit = remake(c.Limit, c.Limit.Rate().Count, c.Limit.Algorithm()) }
	}},
	{"charges everything at arrival", "groups", func(s *brokenStore) { s.group = func(g *weir.Group) { g.Charge = weir.Arriving } }},
	{"charges independent ones as arriving", "model", func(s *brokenStore) {
		s.group = func(g *weir.Group) { g.Charge %= weir.Independent }
	}},
	{"enforces shadows", "groups", func(s *brokenStore) { s.group = func(g *weir.Group) { g.Shadow = false } }},
	{"takes checks of a group alone", "groups", func(s *brokenStore) { s.check = func(c *weir.Check) { c.Group = nil } }},
	{"takes checks one by one", "model", func(s *brokenStore) { s.oneByOne = true }},

	{"waits in whole milliseconds", "waits", func(s *brokenStore) {
		s.result = func(r *weir.Result) { r.RetryAfter = r.RetryAfter.Truncate(time.Millisecond) }
	}},
	{"waits too long", "waits", func(s *brokenStore) {
		s.result = func(r *weir.Result) { r.RetryAfter = max(r.RetryAfter, r.ResetAfter) }
	}},
	{"tells no next wait", "waits", func(s *brokenStore) { s.result = func(r *weir.Result) { r.NextAfter = r.RetryAfter } }},
	{"tells what was left before", "groups", func(s *brokenStore) {
		s.result = func(r *weir.Result) {
			if r.Charged {
				r.Remaining++
			}
		}
	}},
	{"loses the level before", "refund", func(s *brokenStore) {
		s.result = func(r *weir.Result) { r.Before = weir.Level{} }
	}},

	{"refunds again and again", "refund", func(s *brokenStore) { s.refund = func(id *weir.ID, _ []weir.Charge) { *id = weir.NewID() } }},
	{"refunds once in all", "refund", func(s *brokenStore) { s.refund = func(id *weir.ID, _ []weir.Charge) { *id = 7 } }},
	{"refunds to the current window", "refund", func(s *brokenStore) {
		s.refund = func(_ *weir.ID, charges []weir.Charge) {
			for i := range charges {
				charges[i].At = s.clock().UnixMicro()
			}
		}
	}},
	{"refunds the first charge only", "refund", func(s *brokenStore) {
		s.refund = func(_ *weir.ID, charges []weir.Charge) {
			for i := range charges[min(1, len(charges)):] {
				charges[i+1] = charges[0]
			}
		}
	}},
	{"always says it refunded", "refund", func(s *brokenStore) { s.gave = true }},
	{"refunds by a reset", "refund", func(s *brokenStore) { s.refundByReset = true }},
	{"resets nothing", "reset", func(s *brokenStore) { s.resetsNone = true }},
	{"forgets on a step back", "older instants", func(s *brokenStore) { s.forgetsOnStepBack = true }},
}

// brokenEnv names the way in which a process is to break its store.
const brokenEnv = "WEIR_STORETEST_BROKEN"

// Every broken store fails the promise that it breaks. Each runs in a process of
// its own, since a test that fails cannot be taken back.
func TestBrokenStoresAreNoticed(t *testing.T) {
	if name := os.Getenv(brokenEnv); name != "" {
		runBroken(t, name)
		return
	}
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			command := exec.Command(os.Args[0], "-test.run=^TestBrokenStoresAreNoticed$/^"+strings.ReplaceAll(b.promise, " ", "_")+"$")
			command.Env = append(os.Environ(), brokenEnv+"="+b.name)
			out, err := command.CombinedOutput()
			if want := "--- FAIL: TestBrokenStoresAreNoticed/"; err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%q did not notice: %v\n%s", b.promise, err, out)
			}
		})
	}
}

func runBroken(t *testing.T, name string) {
	for _, b := range broken {
		if b.name != name {
			continue
		}
		storetest.Run(t, func(t testing.TB, clock func() time.Time) weir.Store {
			s := &brokenStore{Store: newMemoryStore(t, clock), clock: clock, kinds: map[weir.Key]weir.Algorithm{}}
			b.breaks(s)
			return s
		})
	}
}
