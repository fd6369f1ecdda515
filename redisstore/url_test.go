package redisstore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for _, c := range []struct {
		url, addresses string
		db             int
		master         string
		kind           string // single, sentinel, cluster, unix; with + for TLS
		user, password string
	}{
		{"redis://localhost", "localhost:6379", 0, "", "single", "", ""},
		{"redis://10.0.0.1:7000/3", "10.0.0.1:7000", 3, "", "single", "", ""},
		{"redis://10.0.0.1:7000/", "10.0.0.1:7000", 0, "", "single", "", ""},
		{"redis://[::1]", "[::1]:6379", 0, "", "single", "", ""},
		{"redis://[::1]:7000", "[::1]:7000", 0, "", "single", "", ""},
		{"redis://:s3cret@host", "host:6379", 0, "", "single", "", "s3cret"},
		{"redis://weir:s%2F%40%3Acret@host", "host:6379", 0, "", "single", "weir", "s/@:cret"},
		{"rediss://weir:x@host:6380/1", "host:6380", 1, "", "single+", "weir", "x"},
		{"rediss://host?server_name=redis.internal", "host:6379", 0, "", "single+", "", ""},
		{"redis+sentinel://a,b:26380,c/mymaster", "a:26379 b:26380 c:26379", 0, "mymaster", "sentinel", "", ""},
		{"redis+sentinel://weir:x@a/mymaster?sentinel_user=watch&sentinel_password=y", "a:26379", 0, "mymaster", "sentinel", "weir", "x"},
		{"rediss+sentinel://a/mymaster", "a:26379", 0, "mymaster", "sentinel+", "", ""},
		{"redis+cluster://a:7000,b:7001,c", "a:7000 b:7001 c:6379", 0, "", "cluster", "", ""},
		{"redis+cluster://[::1]:7000,[::2]:7001/0", "[::1]:7000 [::2]:7001", 0, "", "cluster", "", ""},
		{"rediss+cluster://weir:x@a", "a:6379", 0, "", "cluster+", "weir", "x"},
		{"unix:///run/redis.sock", "/run/redis.sock", 0, "", "unix", "", ""},
		{"unix://weir:x@/run/redis.sock?db=2", "/run/redis.sock", 2, "", "unix", "weir", "x"},
	} {
		o, err := parseURL(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		kind := "cluster"
		switch {
		case o.DialCtxFn != nil:
			kind = "unix"
		case o.ForceSingleClient:
			kind = "single"
		case o.Sentinel.MasterSet != "":
			kind = "sentinel"
		}
		if o.TLSConfig != nil {
			kind += "+"
		}
		if kind != c.kind || !slices.Equal(o.InitAddress, strings.Fields(c.addresses)) || o.SelectDB != c.db ||
			o.Sentinel.MasterSet != c.master || o.Username != c.user || o.Password != c.password {
			t.Errorf("%s: %s of %q, database %d, master %q, as %q with %q", c.url, kind, o.InitAddress, o.SelectDB, o.Sentinel.MasterSet, o.Username, o.Password)
		}
		if strings.Contains(c.url, "server_name") && o.TLSConfig.ServerName != "redis.internal" {
			t.Errorf("%s: server name %q", c.url, o.TLSConfig.ServerName)
		}
		if strings.Contains(c.url, "sentinel_user") && (o.Sentinel.Username != "watch" || o.Sentinel.Password != "y") {
			t.Errorf("%s: sentinels as %q with %q", c.url, o.Sentinel.Username, o.Sentinel.Password)
		}
		if !o.DisableRetry || !o.DisableCache {
			t.Errorf("%s: a client that repeats calls: %+v", c.url, o)
		}
	}
}

// No error tells the password, whatever is wrong and wherever its special
// characters have the URL fall apart.
func TestParseURLErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, want string }{
		{"", "no such store"},
		{"localhost:6379", "no such store"},
		{"http://weir:s3cret@host", "no such store"},
		{"redis", "no such store"},
		{"redis://", "a host is missing"},
		{"redis://:s3cret@", "a host is missing"},
		{"redis://host/x", `"x" is not the number`},
		{"redis://weir:s3cret@host/-1", `"-1" is not the number`},
		{"redis://a,b", "several hosts are a cluster"},
		{"redis://host:99999", "not a port"},
		{"redis://host:redis", `"redis" is not a port`},
		{"redis+cluster://a:x,b:1", `"x" is not a port`},
		{"redis+cluster://a,,b", "a host is missing"},
		{"redis+cluster://a/1", "one database"},
		{"redis+sentinel://weir:s3cret@a", "the name of the master is missing"},
		{"redis+sentinel://a/m?sentinel_passwort=s3cret", "it knows no ?sentinel_passwort="},
		{"unix://run/redis.sock", "three slashes"},
		{"unix:///", "three slashes"},
		{"unix:///run/redis.sock?db=x", "not the number"},
		{"redis://host?db=3", "it knows no ?db="},
		{"redis://weir:s3cret@host?ca=ca.pem", "it knows no ?ca="},
		{"rediss://host?ca=" + filepath.Join(t.TempDir(), "missing.pem"), "no such file"},
		{"rediss://host?ca=" + empty, "holds no certificate"},
		{"rediss://host?cert=" + empty, "no such file"},
		{"redis://weir:s3cret%zz@host", "cannot be read"},
		{"redis://weir:s3cret/x@host", "cannot be read"},
		{"redis://weir:1234/s3cret@host", "cannot be read"},
		{"redis://weir:s3cret?x@host", "cannot be read"},
		{"redis://weir:1234?s3cret@host", "cannot be read"},
		{"redis://weir:1234#s3cret@host", "cannot be read"},
		{"redis:weir:s3cret@host", "cannot be read"},
	} {
		_, err := parseURL(c.url)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.url, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error tells the password: %v", c.url, err)
		}
		if store, err := Open(c.url); err == nil {
			t.Errorf("%s: was opened", c.url)
			store.Close()
		}
	}
}
