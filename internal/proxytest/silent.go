package proxytest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// without sends requests while weir does not answer. The median counts, and the
// best of three: what else runs on the machine may hold some of them up, a proxy
// that takes longer than it should takes longer always.
func (p Promises) without(t *testing.T, c *Client) {
	t.Helper()
	fastest := time.Hour
	for range 3 {
		if fastest = min(fastest, p.medianWithout(t, c)); fastest <= within {
			return
		}
	}
	t.Errorf("half of the answers take more than %s", fastest)
}

func (p Promises) medianWithout(t *testing.T, c *Client) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 5 {
		a := c.Send("POST", "/once", "body")
		took = append(took, a.Took)
		if p.Open {
			p.passesUnasked(t, a)
		} else if a.Status != http.StatusServiceUnavailable || a.Seen != nil {
			t.Errorf("got %d %s", a.Status, a.Body)
		}
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func (p Promises) passesUnasked(t *testing.T, a Answer) {
	t.Helper()
	passes(t, a)
	if a.Seen.Method != "POST" || a.Seen.Body != "body" || a.Seen.URI != "/once" {
		t.Errorf("the upstream saw %+v", a.Seen)
	}
	for name := range a.Header {
		if len(p.Allowed) > 0 && (strings.Contains(name, "Ratelimit") || strings.HasPrefix(name, "Weir-")) {
			t.Errorf("nobody has decided, and %s is %q", name, a.Header[name])
		}
	}
}

// recovers waits until weir decides again.
func recovers(t *testing.T, c *Client) {
	t.Helper()
	until(t, 10*time.Second, func() bool { return c.Get("/once").Status == http.StatusTooManyRequests }, "weir decides again")
}
