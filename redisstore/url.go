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
	"slices"
	"strconv"
	"strings"

	"github.com/redis/rueidis"
)

// parseURL turns a store's URL into the settings of a client:
//
//	redis://[user:password@]host[:port][/db]         rediss:// for TLS
//	redis+sentinel://host[:port],host[:port]/master  rediss+sentinel://
//	redis+cluster://host[:port],host[:port]          rediss+cluster://
//	unix://[user:password@]/path/to/socket[?db=N]
//
// For TLS, ?ca=FILE names what signs the server's certificate (default: the
// system's), ?cert=FILE&key=FILE the client's own, ?server_name=NAME the name to
// expect. Sentinels that want a password get ?sentinel_user= and
// ?sentinel_password=. No error tells a password.
func parseURL(text string) (rueidis.ClientOption, error) {
	before, hosts, after := cutHosts(text)
	u, err := url.Parse(before + after) // which knows no list of hosts
	if err != nil || u.User == nil && strings.Contains(text, "@") {
		// Whatever is wrong may be wrong within the password: what was read of it
		// as a port or a path would be in the error.
		return rueidis.ClientOption{}, errors.New("redisstore: the store's URL cannot be read: in a user or password, write / ? # % @ : as %2F %3F %23 %25 %40 %3A")
	}
	u.Host = hosts
	o, err := settings(u)
	if err != nil {
		shown := *u
		shown.RawQuery = ""
		return rueidis.ClientOption{}, fmt.Errorf("redisstore: store %s: %w", shown.Redacted(), err)
	}
	return o, nil
}

// cutHosts cuts a URL's text around the hosts.
func cutHosts(text string) (before, hosts, after string) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return text, "", ""
	}
	end := strings.IndexAny(rest+"/", "/?#")
	start := strings.LastIndex(rest[:end], "@") + 1
	return scheme + "://" + rest[:start], rest[start:end], rest[end:]
}

func settings(u *url.URL) (o rueidis.ClientOption, err error) {
	query, scheme, path := u.Query(), u.Scheme, strings.Trim(u.Path, "/")
	scheme, secure := strings.CutPrefix(scheme, "rediss")
	if secure {
		scheme = "redis" + scheme
	}
	o = ClientOptions(u.Path)
	known := []string{"db"}
	switch scheme {
	case "unix":
		if u.Host != "" || path == "" {
			return o, errors.New("a socket is written with three slashes: unix:///run/redis.sock")
		}
		o.DialCtxFn = dialUnix
		o.ForceSingleClient = true
		o.SelectDB, err = database(query.Get("db"))
	case "redis":
		known = nil
		o.ForceSingleClient = true
		if o.InitAddress, err = addresses(u.Host, "6379"); err == nil && len(o.InitAddress) > 1 {
			err = errors.New("several hosts are a cluster (redis+cluster://) or sentinels (redis+sentinel://)")
		}
		if err == nil {
			o.SelectDB, err = database(path)
		}
	case "redis+sentinel":
		known = []string{"sentinel_user", "sentinel_password"}
		if path == "" {
			return o, errors.New("the name of the master is missing: redis+sentinel://host:26379/mymaster")
		}
		o.Sentinel.MasterSet, o.Sentinel.Username, o.Sentinel.Password = path, query.Get("sentinel_user"), query.Get("sentinel_password")
		o.InitAddress, err = addresses(u.Host, "26379")
	case "redis+cluster":
		known = nil
		if path != "" && path != "0" {
			return o, errors.New("a cluster has one database, 0")
		}
		o.InitAddress, err = addresses(u.Host, "6379")
	default:
		return o, errors.New("there is no such store; there are memory:, redis://, rediss://, redis+sentinel://, redis+cluster:// and unix:///")
	}
	if err != nil {
		return o, err
	}
	o.Username = u.User.Username()
	o.Password, _ = u.User.Password()
	if secure {
		known = append(known, "ca", "cert", "key", "server_name")
		if o.TLSConfig, err = tlsConfig(query); err != nil {
			return o, err
		}
		o.Sentinel.TLSConfig = o.TLSConfig
	}
	for name := range query {
		if !slices.Contains(known, name) {
			return o, fmt.Errorf("it knows no ?%s=", name)
		}
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

func addresses(hosts, defaultPort string) (list []string, err error) {
	for host := range strings.SplitSeq(hosts, ",") {
		name, port, err := net.SplitHostPort(host)
		if err != nil { // no port
			name, port = strings.Trim(host, "[]"), ""
		}
		if port == "" {
			port = defaultPort
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return nil, fmt.Errorf("%q is not a port", port)
		}
		if name == "" {
			return nil, errors.New("a host is missing")
		}
		list = append(list, net.JoinHostPort(name, port))
	}
	return list, nil
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
