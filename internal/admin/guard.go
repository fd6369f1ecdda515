package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/weirhq/weir/httplimit"
)

// guard lets those pass who may see and change everything: with a token those who
// have it, without one those who ask on loopback; of
// both, where certificates are asked for, those who showed one.
//
// A web page that an operator has open can reach loopback too, by a request to
// another origin or under a host name of its own that it lets resolve to
// 127.0.0.1. Neither gets through.
func guard(o Options, next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httplimit.NewProblem(http.StatusForbidden, "This was sent by a web page of another origin.").Write(w)
	}))
	next = origins.Handler(next)
	if o.Token == "" {
		next = onLoopback(next)
	} else {
		next = withToken(o.Token, next)
	}
	if o.ClientCert {
		next = withCertificate(next)
	}
	return next
}

// guardPage lets the page itself be read without the token, which a browser could
// not send along; what the page asks for is behind [guard].
func guardPage(o Options, next http.Handler) http.Handler {
	if o.Token == "" {
		next = onLoopback(next)
	}
	if o.ClientCert {
		next = withCertificate(next)
	}
	return next
}

func withCertificate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			httplimit.NewProblem(http.StatusForbidden, "This needs a client certificate.").Write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func onLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			httplimit.NewProblem(http.StatusForbidden, "Without an admin token this answers to localhost, 127.0.0.1 and [::1] only.").Write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// IsLoopback reports whether a host, with or without a port, is this machine
// whatever the name service says.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

func withToken(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token)) // of one length, so that comparing tells nothing of it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="weir admin"`)
			httplimit.NewProblem(http.StatusUnauthorized, "This needs the admin token: Authorization: Bearer TOKEN.").Write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}
