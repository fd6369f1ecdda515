package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"
)

// adminTLS says whom to believe, and who asks, where the admin port speaks TLS.
type adminTLS struct {
	authorities, cert, key string // files; empty for the system's authorities, and for no certificate
}

func (a *adminTLS) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.authorities, "tls-ca", "", "authorities, `FILE` (PEM), one of which signed the daemon's certificate (default: the system's)")
	cmd.Flags().StringVar(&a.cert, "tls-cert", "", "certificate `FILE` (PEM) to show, where the daemon asks for one")
	cmd.Flags().StringVar(&a.key, "tls-key", "", "the certificate's key, `FILE` (PEM)")
}

// transport asks by http too, where it is told nothing.
func (a *adminTLS) transport() (http.RoundTripper, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.authorities != "" {
		text, err := os.ReadFile(a.authorities)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--tls-ca: %s holds no certificate", a.authorities)
		}
	}
	if (a.cert == "") != (a.key == "") {
		return nil, errors.New("--tls-cert and --tls-key go together")
	}
	if a.cert != "" {
		pair, err := tls.LoadX509KeyPair(a.cert, a.key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = config
	return transport, nil
}
