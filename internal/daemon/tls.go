package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"
)

// TLS names the PEM files of what the listeners show and ask for. The zero value
// serves plainly.
type TLS struct {
	Cert     string // certificate chain, the server's own first
	Key      string
	ClientCA string // clients need a certificate that one of these signed; empty asks for none
}

func (t TLS) on() bool { return t.Cert != "" }

// scheme is that of the URLs of what is served.
func (t TLS) scheme() string {
	if t.on() {
		return "https"
	}
	return "http"
}

func (t TLS) validate() error {
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return usage("--tls-cert and --tls-key go together: give both, or neither")
	case t.ClientCA != "" && t.Cert == "":
		return usage("--tls-client-ca needs --tls-cert and --tls-key")
	}
	return nil
}

// certificates are those of all listeners, as the files hold them now.
type certificates struct {
	files   TLS
	read    contents // what the first load read
	current atomic.Pointer[tls.Config]
	log     *slog.Logger
}

// openCertificates reads the files; nil where TLS is not spoken.
func openCertificates(files TLS, log *slog.Logger) (*certificates, error) {
	if !files.on() {
		return nil, nil
	}
	c := &certificates{files: files, log: log}
	var err error
	if c.read, err = c.load(); err != nil {
		return nil, &UsageError{err}
	}
	c.warn()
	return c, nil
}

// load reads the files and shows new clients what they hold. On an error it stays
// as it was.
func (c *certificates) load() (contents, error) {
	var read reader
	config, err := c.files.read(&read)
	if err == nil {
		c.current.Store(config)
	}
	return read.contents, err
}

// reload is what the watcher calls after a change.
func (c *certificates) reload() contents {
	read, err := c.load()
	if err != nil {
		c.log.Error("certificate refused, the one before stays in use", "error", err.Error())
		return read
	}
	c.log.Info("certificate loaded", "file", c.files.Cert, "expires", c.expires())
	c.warn()
	return read
}

// warn tells of a certificate that no client will accept. It is served all the
// same, for there is none better.
func (c *certificates) warn() {
	leaf := c.current.Load().Certificates[0].Leaf
	if now := time.Now(); now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		c.log.Warn("certificate is not valid now", "file", c.files.Cert, "from", leaf.NotBefore.UTC().Format(time.RFC3339), "to", leaf.NotAfter.UTC().Format(time.RFC3339))
	}
}

func (c *certificates) expires() string {
	return c.current.Load().Certificates[0].Leaf.NotAfter.UTC().Format(time.RFC3339)
}

// listener speaks TLS on l. Who is asked for a certificate and shows none gets no
// connection, or, where health must be told to everybody, is left to the handler.
func (c *certificates) listener(l net.Listener, handlerAsks bool) net.Listener {
	auth := tls.RequireAndVerifyClientCert
	if handlerAsks {
		auth = tls.VerifyClientCertIfGiven
	}
	var derived atomic.Pointer[derivedConfig]
	return tls.NewListener(l, &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		now := c.current.Load()
		if now.ClientCAs == nil {
			return now, nil
		}
		if d := derived.Load(); d != nil && d.from == now {
			return d.config, nil
		}
		d := &derivedConfig{from: now, config: now.Clone()}
		d.config.ClientAuth = auth
		derived.Store(d)
		return d.config, nil
	}})
}

// derivedConfig is a listener's own form of the certificates. It is kept, for a
// config holds the keys by which clients resume their sessions.
type derivedConfig struct{ from, config *tls.Config }

func (t TLS) read(r *reader) (*tls.Config, error) {
	cert, err := r.file(t.Cert)
	if err != nil {
		return nil, err
	}
	key, err := r.file(t.Key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", t.Cert, t.Key, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	if t.ClientCA == "" {
		return config, nil
	}
	ca, err := r.file(t.ClientCA)
	if err != nil {
		return nil, err
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("client CA %s: there is no certificate in it", t.ClientCA)
	}
	return config, nil
}
