package redistest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
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
	ca, other := newAuthority(t), newAuthority(t)
	s := &TLSServer{TLSAddr: "127.0.0.1:" + port, CA: filepath.Join(dir, "ca.pem"), OtherCA: filepath.Join(dir, "other.pem")}
	writePEM(t, s.CA, "CERTIFICATE", ca.cert.Raw)
	writePEM(t, s.OtherCA, "CERTIFICATE", other.cert.Raw)
	s.Cert, s.Key = ca.issue(t, dir, "client")
	cert, key := ca.issue(t, dir, "server")
	s.Server = Start(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", s.CA)
	Until(t, 10*time.Second, func() bool { return listens(s.TLSAddr) }, "it listens on %s", s.TLSAddr)
	return s
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "redistest"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key := newKey(t)
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue writes a certificate for 127.0.0.1, and its key.
func (a *authority) issue(t testing.TB, dir, name string) (certFile, keyFile string) {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	rawKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	writePEM(t, certFile, "CERTIFICATE", raw)
	writePEM(t, keyFile, "PRIVATE KEY", rawKey)
	return certFile, keyFile
}

func writePEM(t testing.TB, file, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}
