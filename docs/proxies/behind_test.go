package proxies

import (
	"net/http"
	"testing"

	"github.com/weirhq/weir/internal/proxytest"
)

// testBehind is a proxy behind another, at 127.0.0.1, that it believes: the client
// is the last in X-Forwarded-For.
func testBehind(t *testing.T, listen string) {
	t.Helper()
	testBehindAt(t, "127.0.0.1", listen)
}

// testBehindAt is testBehind with the other proxy elsewhere.
func testBehindAt(t *testing.T, address, listen string) {
	t.Helper()
	other := proxytest.NewClient(t, address, listen)
	for _, one := range []struct {
		forwardedFor string
		status       int
	}{
		{"203.0.113.5", http.StatusOK},
		{"203.0.113.5", http.StatusTooManyRequests},
		{"203.0.113.5, 203.0.113.6", http.StatusOK},
		{"203.0.113.7, 203.0.113.6", http.StatusTooManyRequests},
	} {
		if a := other.Get("/once", "X-Forwarded-For", one.forwardedFor); a.Status != one.status {
			t.Errorf("%s: %d, want %d", one.forwardedFor, a.Status, one.status)
		}
	}
}
