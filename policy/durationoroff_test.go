package policy

import (
	"strings"
	"testing"
	"time"
)

// A time or off: the default is a second, off is nothing, and the canonical form
// says what is not the default.
func TestDurationOrOff(t *testing.T) {
	for text, want := range map[string]struct {
		most      time.Duration
		canonical string
	}{
		"":                   {time.Second, ""},
		"deny_cache: 1000ms": {time.Second, ""},
		"deny_cache: 250ms":  {250 * time.Millisecond, "deny_cache: 250ms\n"},
		"deny_cache: off":    {0, "deny_cache: off\n"},
		`deny_cache: "off"`:  {0, "deny_cache: off\n"},
		"deny_cache: 1m30s":  {90 * time.Second, "deny_cache: 1m30s\n"},
	} {
		c := mustParse(t, text+okLayer)
		if got := c.DenyCache.Duration(); got != want.most {
			t.Errorf("%q is %s", text, got)
		}
		canonical := string(c.Canonical())
		if strings.Contains(canonical, "deny_cache") != (want.canonical != "") || !strings.Contains(canonical, want.canonical) {
			t.Errorf("%q is written\n%s", text, canonical)
		}
		sameAgain(t, c)
	}
}
