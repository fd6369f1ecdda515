package policy

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/weirhq/weir"
)

// BenchmarkResolve is the default policy's work on a request.
func BenchmarkResolve(b *testing.B) {
	for _, c := range []struct {
		name   string
		a      Attributes
		checks int
	}{
		{"key/search", Attributes{Path: "/search", Header: http.Header{"X-Api-Key": {"k1"}}}, 3},
		{"key/other", Attributes{Path: "/users/7", Header: http.Header{"X-Api-Key": {"k1"}}}, 2},
		{"no key/search", Attributes{Path: "/search"}, 2},
		{"key/unclean", Attributes{Path: "//./search", Header: http.Header{"X-Api-Key": {"k1"}}}, 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := Default()
			c.a.IP, c.a.Method, c.a.Host, c.a.Cost = netip.MustParseAddr("203.0.113.7"), "GET", "api.example.com", 1
			checks := make([]weir.Check, 0, 8)
			b.ReportAllocs()
			for b.Loop() {
				checks, _ = p.Resolve(&c.a, checks[:0])
			}
			if len(checks) != c.checks {
				b.Fatalf("%d checks, want %d", len(checks), c.checks)
			}
		})
	}
}
