// Package daemon is weir as a process: it builds the engine from a
// configuration, runs the fronts as actors of which the first to return stops
// all, reloads, and drains.
//
//	err := daemon.Run(ctx, daemon.Options{HTTP: "127.0.0.1:8080", ...}, stdout, logger)
//
// # Errors
//
// A *[UsageError] is the user's to mend: a bad configuration, an address that
// cannot be listened on. Anything else is a failure while running.
package daemon

import (
	"fmt"
	"net"

	"github.com/weirhq/weir/internal/admin"
)

// Options are what the command line says. An empty address turns a listener off.
type Options struct {
	Config string   // file; empty is the default policy
	Store  string   // URL; empty is the configuration's, or memory:
	Layers []string // subset of the configuration's; empty is all
	HTTP   string   // traffic
	Proxy  *Proxy   // makes the traffic port a reverse proxy; nil serves /check and /v1
	GRPC   string
	Admin  string
	// EnvoyConfig is a folder of envoyproxy/ratelimit's configuration; empty takes
	// no rate limit requests.
	EnvoyConfig   string
	EnvoyHeaders  bool   // answer these with X-RateLimit headers too
	EnvoyMetadata bool   // and with dynamic metadata
	RESP          string // traffic of clients of Redis
	Profile       string // which headers of /check are believed, one of [Profiles]; empty is plain
	TLS           TLS    // of every listener
	Secret        string // keys the hashes of credentials and signs receipts
	Token         string // of the admin port, and of DEL on the RESP port

	plans *planSource // where the configuration takes plans from Redis
}

// UsageError is something the user has to mend before weir can start.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// validate refuses what is no address, and what would be open to the network by
// mistake.
func (o *Options) validate() error {
	for _, a := range []struct{ flag, address, example string }{
		{"--http", o.HTTP, "127.0.0.1:8080"}, {"--grpc", o.GRPC, "127.0.0.1:8081"}, {"--resp", o.RESP, "127.0.0.1:6380"}, {"--admin", o.Admin, "127.0.0.1:9090"},
	} {
		if _, _, err := net.SplitHostPort(a.address); err != nil && a.address != "" {
			return usage("%s %q is not HOST:PORT: write %s, or :PORT for all addresses", a.flag, a.address, a.example)
		}
	}
	if err := o.TLS.validate(); err != nil {
		return err
	}
	if _, err := o.profile(); err != nil {
		return err
	}
	if err := o.Proxy.validate(o.HTTP); err != nil {
		return err
	}
	switch {
	case o.HTTP == "" && o.GRPC == "" && o.RESP == "" && o.Admin == "":
		return usage("nothing to serve: --http, --grpc, --resp and --admin are all off")
	case o.Admin != "" && o.Token == "" && !admin.IsLoopback(o.Admin):
		return usage("--admin %s is not on loopback: set WEIR_ADMIN_TOKEN, or listen on 127.0.0.1", o.Admin)
	}
	return nil
}
