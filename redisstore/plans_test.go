package redisstore_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
)

// A hash of plans is followed, and kept while the server is away.
func TestPlansFollowAHash(t *testing.T) {
	server := redistest.Start(t)
	server.Do("hset", "plans", "k1", "pro", "k2", "free")
	plans, err := open(t, "redis://"+server.Addr).Plans("plans")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plans.Close)
	is := func(key, want string) bool {
		got, listed := plans.Plan(key)
		return got == want && listed == (want != "")
	}
	if !is("k1", "pro") || !is("k2", "free") || !is("k3", "") {
		t.Error("the first copy is not the hash")
	}
	server.Do("hset", "plans", "k1", "free", "k3", "pro")
	server.Do("hdel", "plans", "k2")
	redistest.Until(t, 5*time.Second, func() bool { return is("k1", "free") && is("k3", "pro") && is("k2", "") }, "the change is seen")
	server.Kill()
	if !is("k1", "free") {
		t.Error("the copy is gone with the server")
	}
	plans.Close()
}

func TestPlansOfSomethingElse(t *testing.T) {
	server := redistest.Start(t)
	server.Do("set", "plans", "no hash")
	plans, err := open(t, "redis://"+server.Addr).Plans("plans")
	if err == nil {
		t.Error("a string is no hash of plans")
	}
	if _, listed := plans.Plan("k1"); listed {
		t.Error("listed")
	}
	plans.Close()
}
