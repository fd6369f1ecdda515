package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// What cannot be served is refused before anything listens, as the user's to mend.
func TestWrongOptionsAreRefused(t *testing.T) {
	const http, admin = "127.0.0.1:0", "127.0.0.1:0"
	for _, c := range []struct {
		name string
		o    Options
		want string // the error's beginning; "" where others word it
	}{
		{"nothing to serve", Options{}, "nothing to serve: --http, --grpc, --resp and --admin are all off"},
		{"no port, RESP", Options{RESP: "localhost"}, `--resp "localhost" is not HOST:PORT: write 127.0.0.1:6380, or :PORT for all addresses`},
		{"no port", Options{HTTP: "127.0.0.1"}, `--http "127.0.0.1" is not HOST:PORT: write 127.0.0.1:8080, or :PORT for all addresses`},
		{"no port, IPv6", Options{HTTP: http, Admin: "::1"}, `--admin "::1" is not HOST:PORT: write 127.0.0.1:9090, or :PORT for all addresses`},
		{"no such port", Options{HTTP: "127.0.0.1:99999"}, "--http 127.0.0.1:99999: address 99999: invalid port"},
		{"admin for everybody", Options{Admin: ":0"}, "--admin :0 is not on loopback: set WEIR_ADMIN_TOKEN, or listen on 127.0.0.1"},
		{"admin for everybody, IPv6", Options{Admin: "[::]:0"}, "--admin [::]:0 is not on loopback: set WEIR_ADMIN_TOKEN, or listen on 127.0.0.1"},
		{"admin on a network", Options{Admin: "192.0.2.1:0"}, "--admin 192.0.2.1:0 is not on loopback: set WEIR_ADMIN_TOKEN, or listen on 127.0.0.1"},
		{"admin on a name like loopback", Options{Admin: "localhost.example:0"}, "--admin localhost.example:0 is not on loopback: set WEIR_ADMIN_TOKEN, or listen on 127.0.0.1"},
		{"a certificate without a key", Options{HTTP: http, TLS: TLS{Cert: "a.pem"}}, "--tls-cert and --tls-key go together: give both, or neither"},
		{"a client CA alone", Options{HTTP: http, TLS: TLS{ClientCA: "a.pem"}}, "--tls-client-ca needs --tls-cert and --tls-key"},
		{"no such certificate", Options{HTTP: http, TLS: TLS{Cert: "testdata/none.pem", Key: "testdata/none.pem"}}, "open testdata/none.pem: no such file or directory"},
		{"no such profile", Options{HTTP: http, Profile: "apache"}, `--profile "apache": it takes plain, nginx, haproxy, caddy, traefik, envoy`},
		{"another store", Options{HTTP: http, Store: "redis+sentinel://user:hunter2@localhost"}, "redisstore: store redis+sentinel://user:xxxxx@localhost: the name of the master is missing: redis+sentinel://host:26379/mymaster"},
		{"no store", Options{HTTP: http, Store: "redis"}, "the store is not a URL: write memory: or redis://127.0.0.1:6379"},
		{"no file", Options{HTTP: http, Config: "testdata/none.yaml"}, "open testdata/none.yaml: no such file or directory"},
		{"an unknown layer", Options{HTTP: http, Admin: admin, Layers: []string{"egde"}}, `there is no layer "egde" to run: did you mean edge?`},
		{"no such store in the file", Options{HTTP: http, Config: write(t, "store: etcd://user:hunter2@localhost\n"+edge(5))}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience) // it must not serve
			defer cancel()
			err := Run(ctx, c.o, io.Discard, slog.New(slog.DiscardHandler))
			var usage *UsageError
			if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("it repeats a password: %v", err)
			}
		})
	}
}

// The option wins over the file.
func TestStoreOfTheOptionsWins(t *testing.T) {
	d := start(t, Options{Store: "memory:", Config: write(t, "store: redis://localhost:6379\n"+edge(5))})
	if s := d.status(t); s.Store.Kind != "memory" {
		t.Errorf("%+v", s)
	}
}

// max_keys bounds the store.
func TestMaxKeysOfTheFileBoundsTheStore(t *testing.T) {
	d := start(t, Options{Config: write(t, "max_keys: 64\n"+edge(5))})
	items := make([]logged, 500)
	for i := range items {
		items[i] = logged{ip: fmt.Sprintf("203.0.%d.%d", i/250, 1+i%250), method: "GET", path: "/"}
	}
	sendBatch(t, d.http, items, make([]take, len(items)))
	if n := d.status(t).Store.Keys; n == 0 || n > 64 {
		t.Errorf("%d keys are held, want 64 at most", n)
	}
}
