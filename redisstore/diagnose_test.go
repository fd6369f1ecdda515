package redisstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// What keeps a server from serving is found at the start, with what to do.
func TestDiagnose(t *testing.T) {
	fatal, temporary := true, true
	for _, c := range []struct {
		name             string
		args             []string
		prepare          func(*redistest.Server)
		url              string // ADDR stands for the server's address
		fatal, temporary bool
		problem, remedy  string
	}{
		{name: "healthy", url: "redis://ADDR"},
		{name: "memory bounded, nothing evicted", args: []string{"--maxmemory", "100mb"}, url: "redis://ADDR"},
		{
			name: "unreachable", prepare: func(s *redistest.Server) { s.Kill() }, url: "redis://ADDR",
			temporary: temporary, problem: "cannot be reached", remedy: "is it running",
		},
		{
			name: "silent", prepare: func(s *redistest.Server) { s.Pause() }, url: "redis://ADDR",
			temporary: temporary, problem: "cannot be reached", remedy: "is it running",
		},
		{
			name: "wrong password", prepare: func(s *redistest.Server) { s.Do("acl", "setuser", "weir", "on", ">right", "~*", "+@all") },
			url: "redis://weir:wr0ng@ADDR", fatal: fatal, problem: "refuses the user or password", remedy: "user:password@",
		},
		{
			name: "no password", args: []string{"--requirepass", "right"}, url: "redis://ADDR",
			fatal: fatal, problem: "wants a password", remedy: ":PASSWORD@",
		},
		{
			name: "replica", args: []string{"--replicaof", "127.0.0.1 1"}, url: "redis://ADDR",
			fatal: fatal, problem: "read-only replica", remedy: "name its master",
		},
		{
			name: "evicts keys", args: []string{"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}, url: "redis://ADDR",
			problem: "throws keys away", remedy: "noeviction",
		},
		{
			name: "evicts keys that have a lifetime", args: []string{"--maxmemory", "100mb", "--maxmemory-policy", "volatile-ttl"}, url: "redis://ADDR",
			problem: "throws keys away", remedy: "noeviction",
		},
		{
			name: "no EVAL", args: []string{"--rename-command", "EVAL", ""}, url: "redis://ADDR",
			fatal: fatal, problem: "forbids scripts", remedy: "allow EVAL",
		},
		{
			name: "no EVALSHA", args: []string{"--rename-command", "EVALSHA", ""}, url: "redis://ADDR",
			fatal: fatal, problem: "forbids scripts", remedy: "allow EVAL",
		},
		{
			name: "user without scripts", prepare: func(s *redistest.Server) {
				s.Do("acl", "setuser", "weir", "on", ">right", "~weir:*", "+@all", "-@scripting")
			}, url: "redis://weir:right@ADDR", fatal: fatal, problem: "ACL user", remedy: "ACL SETUSER",
		},
		{
			name: "user of other keys", prepare: func(s *redistest.Server) { s.Do("acl", "setuser", "weir", "on", ">right", "~other:*", "+@all") },
			url: "redis://weir:right@ADDR", fatal: fatal, problem: "ACL user", remedy: "~weir:*",
		},
		{
			name: "user without TIME", prepare: func(s *redistest.Server) {
				s.Do("acl", "setuser", "weir", "on", ">right", "~weir:*", "+@all", "-time")
			}, url: "redis://weir:right@ADDR", fatal: fatal, problem: "forbids TIME", remedy: "+time",
		},
		{
			name: "user without a command", prepare: func(s *redistest.Server) {
				s.Do("acl", "setuser", "weir", "on", ">right", "~weir:*", "+@all", "-lrem")
			}, url: "redis://weir:right@ADDR", fatal: fatal, problem: "ACL user", remedy: "+lrem",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := redistest.Start(t, c.args...)
			if c.prepare != nil {
				c.prepare(server)
			}
			store := open(t, strings.ReplaceAll(c.url, "ADDR", server.Addr))
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			found := store.Diagnose(ctx)
			if c.problem == "" && c.remedy == "" && !c.fatal {
				if len(found) > 0 {
					t.Errorf("%+v", found)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("%+v", found)
			}
			f := found[0]
			if f.Fatal != c.fatal || f.Temporary != c.temporary || !strings.Contains(f.Problem, c.problem) || !strings.Contains(f.Remedy, c.remedy) {
				t.Errorf("%+v", f)
			}
			t.Log(f)
			for _, secret := range []string{"right", "wr0ng"} {
				if strings.Contains(f.String(), secret) {
					t.Errorf("it tells a password: %s", f)
				}
			}
		})
	}
}

// Each node of a cluster is looked at.
func TestDiagnoseCluster(t *testing.T) {
	cluster := sharedCluster(t)
	store := open(t, cluster.URL())
	if found := store.Diagnose(t.Context()); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	cluster.Nodes[2].Do("config", "set", "maxmemory", "1gb")
	cluster.Nodes[2].Do("config", "set", "maxmemory-policy", "allkeys-lfu")
	for range 10 { // not one node by chance
		found := store.Diagnose(t.Context())
		if len(found) != 1 || found[0].Fatal || !strings.Contains(found[0].Problem, "allkeys-lfu") {
			t.Errorf("%+v", found)
		}
	}
	cluster.Nodes[2].Do("config", "set", "maxmemory", "0")
	cluster.Nodes[2].Do("config", "set", "maxmemory-policy", "noeviction")
}

// A store on somebody else's client has nothing to tell.
func TestDiagnoseDoer(t *testing.T) {
	store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(context.Context, ...any) (any, error) { return nil, nil }))
	if err != nil {
		t.Fatal(err)
	}
	if found := store.Diagnose(t.Context()); found != nil {
		t.Errorf("%+v", found)
	}
}
