package httpjson

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// broken is an engine whose store does not answer.
type broken struct{}

var errBroken = errors.New("redis: dial 10.0.0.9: refused")

func (broken) Decide(context.Context, *policy.Attributes) (weir.Decision, error) {
	return weir.Decision{}, errBroken
}

func (broken) Check(context.Context, weir.Check) (weir.Decision, error) {
	return weir.Decision{}, errBroken
}

func (broken) Refund(context.Context, string) (bool, error) { return false, errBroken }
func (broken) Receipt(*weir.Decision) string                { return "" }
func (broken) Trusted() clientip.Prefixes                   { return clientip.Prefixes{} }

// No decision is 503 with a fixed sentence; in a batch it is an item's own error.
func TestNoDecision(t *testing.T) {
	const (
		head    = `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"`
		problem = head + `No decision could be made."}`
	)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/take", `{"attributes": {"ip": "203.0.113.7"}}`, 503, problem},
		{"/v1/take", `{"key": "a", "limit": "5/min"}`, 503, problem},
		{"/v1/refund", `{"receipt": "x"}`, 503, head + `The store does not answer; whether it was given back is not known. It is given back once, so try again."}`},
		{"/v1/take/batch", `[{"key": "a", "limit": "5/min"}]`, 200, `[{"error":` + problem + `}]`},
	} {
		w := httptest.NewRecorder()
		New(broken{}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body)))
		if got := strings.TrimSpace(w.Body.String()); w.Code != c.status || got != c.want {
			t.Errorf("%s %s\ngot  %d %s\nwant %d %s", c.path, c.body, w.Code, got, c.status, c.want)
		}
	}
}

// What is repeated of a body is cut, between characters.
func TestDetailIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1000), strings.Repeat("é", 1000), "x" + strings.Repeat("é", 1000)} {
		p := problemOf(fail(http.StatusBadRequest, "%s", text))
		if len(p.Detail) > maxDetail+len("…") || !strings.HasSuffix(p.Detail, "…") || strings.ContainsRune(p.Detail, '\uFFFD') {
			t.Errorf("%d bytes: %q", len(p.Detail), p.Detail)
		}
	}
}
