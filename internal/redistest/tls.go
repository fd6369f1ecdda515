package redistest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/certtest"
)

// TLSServer is a redis-server that speaks TLS at TLSAddr, and plainly at Addr. It
// wants a certificate of its clients.
type TLSServer struct {
	*Server
	TLSAddr string // 127.0.0.1:port
	// CA is the file of what signs both certificates, Cert and Key are those of
	// a client's, OtherCA signs nothing.
	CA, Cert, Key, OtherCA string
}

// StartTLS starts one with certificates made for it.
func StartTLS(t testing.TB) *TLSServer {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	ca, other := certtest.NewAuthority(t), certtest.NewAuthority(t)
	s := &TLSServer{TLSAddr: "127.0.0.1:" + port, CA: filepath.Join(dir, "ca.pem"), OtherCA: filepath.Join(dir, "other.pem")}
	ca.Write(t, s.CA)
	other.Write(t, s.OtherCA)
	s.Cert, s.Key = ca.Issue(t, dir, "client")
	cert, key := ca.Issue(t, dir, "server")
	s.Server = Start(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", s.CA)
	Until(t, 10*time.Second, func() bool { return listens(s.TLSAddr) }, "it listens on %s", s.TLSAddr)
	return s
}
