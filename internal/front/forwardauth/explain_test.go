package forwardauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// A store that does not answer is told as the 503 that a check gets, without the
// cause.
func TestDiagnosisWithoutADecision(t *testing.T) {
	e := trusting(t, "10.0.0.1")
	e.err = errors.New("redis: dial 10.0.0.9: refused")
	w := ask(e, "GET", "/check/search?explain=1", nil)
	var d diagnosis
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %v", w.Code, err)
	}
	if d.Answer.Status != http.StatusServiceUnavailable || d.Answer.Allowed || strings.Contains(w.Body.String(), "10.0.0.9") {
		t.Errorf("%s", w.Body)
	}
}

// Who asked cannot be told from a query while the URI is not known: a client that
// asks for a diagnosis would pass, for that is a 200.
func TestNoDiagnosisWithoutAnURI(t *testing.T) {
	for _, profile := range []string{"nginx", "haproxy", "caddy", "traefik"} {
		w := askAs(named(t, profile), trusting(t, "10.0.0.1"), "GET", "/check?explain=1", nil)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", profile, w.Code, w.Body)
		}
	}
}

func TestShown(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"none", nil, ""},
		{"plain", []string{"203.0.113.7"}, "203.0.113.7"},
		{"two lines", []string{"a", "b?c"}, "a, b?redacted"},
		{"a query", []string{"/a?b=c?d"}, "/a?redacted"},
		{"a password", []string{"http://u:p@h/a@b"}, "http://redacted@h/a@b"},
		{"a password and a query", []string{"http://u:p@h?x"}, "http://redacted@h/?redacted"},
		{"too long", []string{strings.Repeat("a", 600)}, strings.Repeat("a", 512) + "..."},
	} {
		if got := shown(c.in); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
