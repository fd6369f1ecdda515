package redisstore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// What weir sends, as MONITOR sees it: one EVALSHA for each decision, whatever the
// number of layers, touching no key that it does not name. A reset is an UNLINK
// for each key. Nothing ever looks through the keyspace (B71).
func TestCommandsOnTheServer(t *testing.T) {
	server := redistest.Start(t)
	server.Do("debug", "populate", "300000", "unrelated")
	store := open(t, urlOf(server))
	for _, a := range weir.Algorithms() { // both scripts are there
		d := weir.Decide(weir.NewID(), layers(t, a, "warm"), decide(t, store, layers(t, a, "warm")...))
		if _, err := store.Refund(context.Background(), d.ID, d.Charges()); err != nil {
			t.Fatal(err)
		}
	}
	redistest.Until(t, 5*time.Second, func() bool { return commandCalls(server, "script|load") == 2 }, "scripts are loaded ahead")
	m := startMonitor(t, server)
	for _, a := range weir.Algorithms() {
		limit := limitOf(t, weir.PerMinute(2), weir.WithAlgorithm(a))
		one := weir.Check{Key: key(a.String()), Limit: limit, Cost: 1}
		for range 3 { // two pass
			decide(t, store, one)
			m.wants(t, "EVALSHA")
		}
		peek(t, store, one.Key, limit, 1)
		m.wants(t, "EVALSHA")

		three := layers(t, a, "three")
		d := weir.Decide(weir.NewID(), three, decide(t, store, three...))
		m.wants(t, "EVALSHA")
		if _, err := store.Refund(context.Background(), d.ID, d.Charges()); err != nil {
			t.Fatal(err)
		}
		m.wants(t, "EVALSHA", "EVALSHA", "EVALSHA") // one for each charge
	}
	for _, name := range []string{"a*", "a", "ab", "[x]"} {
		take(t, store, key(name), limitOf(t, weir.PerMinute(1)), 1)
		m.wants(t, "EVALSHA")
	}
	if err := store.Reset(context.Background(), []weir.Key{key("a*"), key("[x]")}); err != nil {
		t.Fatal(err)
	}
	m.wants(t, "UNLINK", "UNLINK")
	for name, left := range map[string]int64{"a*": 1, "[x]": 1, "a": 0, "ab": 0} {
		if got := peek(t, store, key(name), limitOf(t, weir.PerMinute(1)), 1).Remaining; got != left {
			t.Errorf("after the reset %d remain of %q, want %d", got, name, left)
		}
	}
	if n := server.Do("eval", "return #redis.call('keys', 'unrelated:*')", "0"); n != "300000" {
		t.Errorf("%s of 300000 unrelated keys are left", n)
	}
}

func layers(t testing.TB, a weir.Algorithm, identity string) (checks []weir.Check) {
	for _, layer := range []string{"edge", "gateway", "endpoint"} {
		k := weir.Key{Layer: layer, Limit: "default", Identity: identity}
		checks = append(checks, weir.Check{Key: k, Limit: limitOf(t, weir.PerMinute(100), weir.WithAlgorithm(a)), Cost: 1, Group: &weir.Group{}})
	}
	return checks
}

// monitor reads what a server is sent.
type monitor struct {
	server *redistest.Server
	conn   *redistest.Conn
	seen   int
}

func startMonitor(t *testing.T, server *redistest.Server) *monitor {
	t.Helper()
	conn, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.Do("monitor"); err != nil {
		t.Fatal(err)
	}
	return &monitor{server: server, conn: conn}
}

// wants checks what clients have sent since the last time, and that no script has
// touched a key that its call does not name.
func (m *monitor) wants(t *testing.T, commands ...string) {
	t.Helper()
	m.seen++
	mark := fmt.Sprint("mark ", m.seen)
	m.server.Do("echo", mark)
	var sent []string
	var named []string
	for {
		line, err := m.conn.Reply()
		if err != nil {
			t.Fatal(err)
		}
		words := quoted(line)
		switch command := strings.ToUpper(words[0]); {
		case strings.Contains(line, " lua] "):
			if command != "TIME" && !slices.Contains(named, words[1]) {
				t.Errorf("a script touches %s, its call names %q", line, named)
			}
		case slices.Equal(words, []string{"echo", mark}):
			if !slices.Equal(sent, commands) {
				t.Errorf("sent %q, want %q", sent, commands)
			}
			return
		case command == "EVALSHA":
			var n int
			fmt.Sscan(words[2], &n)
			named = words[3 : 3+n]
			sent = append(sent, command)
		case command != "PING": // the client's own
			sent = append(sent, command)
		}
	}
}

// quoted are the quoted words of MONITOR's line.
func quoted(line string) []string {
	_, text, _ := strings.Cut(line, "] \"")
	return strings.Split(strings.TrimSuffix(text, `"`), `" "`)
}

// A user who may touch keys of weir alone, and use the commands that Diagnose
// names, can do all that a store does.
func TestPermissionsSuffice(t *testing.T) {
	server := redistest.Start(t)
	server.Do(append([]string{"acl", "setuser", "limiter", "on", ">secret", "~weir:*"}, strings.Fields(redisstore.Permissions)...)...)
	store := open(t, "redis://limiter:secret@"+server.Addr)
	clock := newClock()
	timed := open(t, "redis://limiter:secret@"+server.Addr, clock.options()...)
	for _, a := range weir.Algorithms() {
		hour, minute := limitOf(t, weir.PerHour(3), weir.WithAlgorithm(a)), limitOf(t, weir.PerMinute(3), weir.WithAlgorithm(a))
		k := key(a.String())
		for _, s := range []*redisstore.Store{store, timed} {
			for _, l := range []*weir.Limit{hour, minute} {
				for range 4 {
					d := weir.Decide(weir.NewID(), []weir.Check{{Key: k, Limit: l, Cost: 1}}, []weir.Result{take(t, s, k, l, 1)})
					if _, err := s.Refund(context.Background(), d.ID, d.Charges()); err != nil {
						t.Fatal(err)
					}
					take(t, s, k, l, 1)
				}
			}
			clock.pass(-time.Second) // entries of a log come to now
			take(t, s, k, minute, 1)
			if err := s.Reset(context.Background(), []weir.Key{k}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found := store.Diagnose(t.Context()); len(found) > 0 {
		t.Errorf("%v", found)
	}
	if log := server.Do("acl", "log"); log != "" {
		t.Errorf("the server has refused something: %s", log)
	}
}

// Keys of many identities are on all nodes, those of one on one of them, whatever
// it is called (B35).
func TestKeysSpreadOverTheCluster(t *testing.T) {
	cluster := sharedCluster(t)
	store := open(t, cluster.URL())
	for i := range 200 {
		for _, identity := range []string{fmt.Sprint("user:", i), fmt.Sprintf("{x}%d", i), fmt.Sprintf("%d{x}", i)} {
			for _, r := range decide(t, store, layers(t, weir.SlidingCounter, identity)...) {
				if !r.Charged {
					t.Fatalf("%s: %+v", identity, r)
				}
			}
		}
	}
	for _, n := range cluster.Nodes {
		var size int
		fmt.Sscan(n.Do("dbsize"), &size)
		if size < 3*600/3/2 {
			t.Errorf("%d of 1800 keys on %s", size, n.Addr)
		}
	}
}
