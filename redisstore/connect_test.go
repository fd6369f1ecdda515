package redisstore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// works takes once.
func works(t *testing.T, url string) error {
	t.Helper()
	return try(open(t, url), key("a"), limitOf(t, weir.PerHour(100)))
}

func TestTLS(t *testing.T) {
	server := redistest.StartTLS(t)
	url := func(query string) string { return "rediss://" + server.TLSAddr + "?" + query }
	client := fmt.Sprintf("cert=%s&key=%s", server.Cert, server.Key)
	if err := works(t, url("ca="+server.CA+"&"+client)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ query, want string }{
		{client, "certificate"},
		{"ca=" + server.OtherCA + "&" + client, "certificate"},
		{"ca=" + server.CA + "&" + client + "&server_name=redis.internal", "redis.internal"},
		{"ca=" + server.CA, "not connected"}, // the server wants a certificate, and may end the connection before it says so
	} {
		if err := works(t, url(c.query)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.query, err, c.want)
		}
	}
	server.Do("config", "set", "tls-auth-clients", "no")
	if err := works(t, url("ca="+server.CA)); err != nil {
		t.Error(err)
	}
	if err := works(t, "rediss://"+server.Addr+"?ca="+server.CA); err == nil {
		t.Error("TLS with a server that speaks none")
	}
}

func TestUnixSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "redis.sock")
	server := redistest.Start(t, "--unixsocket", socket)
	server.Do("acl", "setuser", "weir", "on", ">secret", "~*", "+@all")
	if err := works(t, "unix://"+socket); err != nil {
		t.Error(err)
	}
	if err := works(t, "unix://weir:secret@"+socket+"?db=3"); err != nil {
		t.Error(err)
	}
	if keys := server.Do("info", "keyspace"); !strings.Contains(keys, "db0:keys=1") || !strings.Contains(keys, "db3:keys=1") {
		t.Error(keys)
	}
}

func TestDatabase(t *testing.T) {
	server := redistest.Start(t)
	if err := works(t, urlOf(server)+"/5"); err != nil {
		t.Error(err)
	}
	if keys := server.Do("info", "keyspace"); !strings.Contains(keys, "db5:keys=1") {
		t.Error(keys)
	}
}

// Closing twice, and a store whose server was never there, is fine.
func TestClose(t *testing.T) {
	for _, url := range []string{urlOf(sharedServer(t)), "redis://127.0.0.1:1"} {
		store, err := redisstore.Open(url)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			start := time.Now()
			if err := store.Close(); err != nil || time.Since(start) > 3*time.Second {
				t.Errorf("%s: %v after %s", url, err, time.Since(start))
			}
		}
		if err := try(store, key("a"), limitOf(t, weir.PerHour(1))); err == nil {
			t.Errorf("%s: a decision by a store that is closed", url)
		}
	}
}
