package redisstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/redis/rueidis"
)

// parseURL turns a store's URL into the settings of a client:
//
//	redis://[user:password@]host:port[/db]      rediss:// for TLS
//	redis+sentinel://host:port,host:port/master  rediss+sentinel://
//	redis+cluster://host:port,host:port          rediss+cluster://
//	unix:///path/to/socket[?db=N]
//
// For TLS, ?ca=FILE names what signs the server's certificate (default: the
// system's), ?cert=FILE&key=FILE the client's own, ?server_name=NAME the name to
// expect.
func parseURL(text string) (o rueidis.ClientOption, err error) {
	u, err := url.Parse(text)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // the URL may hold a password: do not print it
		}
		return o, fmt.Errorf("redisstore: the store's URL cannot be read: %w", err)
	}
	fail := func(format string, args ...any) (rueidis.ClientOption, error) {
		return rueidis.ClientOption{}, fmt.Errorf("redisstore: store %s: "+format, append([]any{u.Redacted()}, args...)...)
	}
	o = ClientOptions(strings.Split(u.Host, ",")...)
	o.Username = u.User.Username()
	o.Password, _ = u.User.Password()
	scheme, kind, _ := strings.Cut(u.Scheme, "+")
	path := strings.Trim(u.Path, "/")
	switch u.Scheme {
	case "redis", "rediss":
		if o.SelectDB, err = database(path); err != nil {
			return fail("%w", err)
		}
		o.ForceSingleClient = true
	case "redis+sentinel", "rediss+sentinel":
		if path == "" {
			return fail("the name of the master is missing: redis+sentinel://host:26379/mymaster")
		}
		o.Sentinel.MasterSet = path
	case "redis+cluster", "rediss+cluster":
		if path != "" && path != "0" {
			return fail("a cluster has one database, 0")
		}
	case "unix":
		if u.Host != "" || path == "" {
			return fail("a socket is written with three slashes: unix:///run/redis.sock")
		}
		o.InitAddress = []string{u.Path}
		o.DialCtxFn = dialUnix
		o.ForceSingleClient = true
		if o.SelectDB, err = database(u.Query().Get("db")); err != nil {
			return fail("%w", err)
		}
		return o, nil
	default:
		return fail("there is no store for %q; there are memory:, redis://, rediss://, redis+sentinel://, redis+cluster:// and unix:///", u.Scheme)
	}
	defaultPort := "6379"
	if kind == "sentinel" {
		defaultPort = "26379"
	}
	for i, address := range o.InitAddress {
		if o.InitAddress[i], err = withPort(address, defaultPort); err != nil {
			return fail("%w", err)
		}
	}
	if scheme == "rediss" {
		if o.TLSConfig, err = tlsConfig(u.Query()); err != nil {
			return fail("%w", err)
		}
		o.Sentinel.TLSConfig = o.TLSConfig
	}
	return o, nil
}

func database(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not the number of a database", text)
	}
	return n, nil
}

func withPort(address, port string) (string, error) {
	if address == "" {
		return "", errors.New("a host is missing")
	}
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address, nil
	}
	joined := net.JoinHostPort(strings.Trim(address, "[]"), port)
	if _, _, err := net.SplitHostPort(joined); err != nil {
		return "", fmt.Errorf("%q is not host:port", address)
	}
	return joined, nil
}

func dialUnix(ctx context.Context, path string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
	return d.DialContext(ctx, "unix", path)
}

func tlsConfig(query url.Values) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: query.Get("server_name")}
	if file := query.Get("ca"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", file)
		}
	}
	if cert, key := query.Get("cert"), query.Get("key"); cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
