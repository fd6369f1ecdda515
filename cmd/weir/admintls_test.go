package main

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/certtest"
)

// A daemon whose admin port speaks TLS and asks for a certificate can be asked.
func TestAdminPortWithTLS(t *testing.T) {
	dir, ca := t.TempDir(), certtest.NewAuthority(t)
	roots := filepath.Join(dir, "ca.pem")
	ca.Write(t, roots)
	cert, key := ca.Issue(t, dir, "weir")
	admin := serveTLS(t, "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", roots)
	for _, c := range []struct {
		name string
		args []string
		code int
		said string
	}{
		{"all that is needed", []string{"--tls-ca", roots, "--tls-cert", cert, "--tls-key", key}, exitDone, "0 of 1000"},
		{"no certificate", []string{"--tls-ca", roots}, exitUsage, "This needs a client certificate."},
		{"an authority that is unknown", []string{"--tls-cert", cert, "--tls-key", key}, exitNo, "certificate signed by unknown authority"},
		{"a certificate without its key", []string{"--tls-cert", cert}, exitUsage, "--tls-cert and --tls-key go together"},
		{"a key for authorities", []string{"--tls-ca", key}, exitUsage, "weir.key holds no certificate"},
		{"no file", []string{"--tls-ca", "none.pem"}, exitUsage, "--tls-ca: open none.pem: "},
		{"a key that is none", []string{"--tls-cert", cert, "--tls-key", roots}, exitUsage, "--tls-cert: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			code := run(t.Context(), append([]string{"keys", "peek", "--admin", admin, "--layer", "edge", "--key", "203.0.113.7"}, c.args...), nil, &out, &out)
			if code != c.code || !strings.Contains(out.String(), c.said) {
				t.Errorf("%d: %s", code, &out)
			}
		})
	}
}

// serveTLS runs weir serve until the test ends, and returns the admin port's URL.
func serveTLS(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, ended := newOutput(), make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx, append([]string{"serve", "--admin", "127.0.0.1:0", "--http", "", "--grpc", "", "--resp", ""}, args...), nil, out, new(bytes.Buffer))
	}()
	t.Cleanup(func() { cancel(); <-ended })
	out.waitFor(t, "SIGHUP reloads")
	return regexp.MustCompile(`https://127\.0\.0\.1:\d+`).FindString(out.String())
}
