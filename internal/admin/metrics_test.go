package admin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// What happened is counted by layer, limit and outcome; nothing of a caller is in
// a label. Shadow is told apart (B61).
func TestMetricsOfDecisions(t *testing.T) {
	limit, err := weir.NewLimit(weir.PerMinute(1))
	if err != nil {
		t.Fatal(err)
	}
	check := func(layer string, group *weir.Group) weir.Check {
		return weir.Check{Key: weir.Key{Layer: layer, Limit: "min", Identity: "key:secret-caller"}, Limit: limit, Cost: 1, Group: group}
	}
	checks := []weir.Check{check("edge", nil), check("try", &weir.Group{Shadow: true})}
	yes, no := weir.Result{Allowed: true}, weir.Result{Reason: weir.OverLimit, RetryAfter: time.Second, NextAfter: time.Second}

	m := NewMetrics()
	m.WatchKeys(func() int { return 7 })
	for _, results := range [][]weir.Result{{yes, yes}, {yes, no}, {yes, no}, {yes, no}, {no, no}} {
		d := weir.Decide(weir.NewID(), checks, results)
		m.Decided(&d, 3*time.Microsecond)
	}
	denied := weir.Deny(weir.NewID(), "edge: unknown API key")
	m.Decided(&denied, time.Microsecond)
	m.Failed()
	m.Loaded()
	m.Reloaded(nil)
	m.Reloaded(errors.New("bad"))

	text := metrics(t, m)
	for _, want := range []string{
		`weir_requests_total{outcome="allowed"} 4`,
		`weir_requests_total{outcome="refused"} 1`,
		`weir_requests_total{outcome="denied"} 1`,
		`weir_checks_total{layer="edge",limit="min",outcome="allowed"} 4`,
		`weir_checks_total{layer="edge",limit="min",outcome="refused"} 1`,
		`weir_checks_total{layer="try",limit="min",outcome="shadow_allowed"} 1`,
		`weir_checks_total{layer="try",limit="min",outcome="shadow_refused"} 4`,
		`weir_decision_duration_seconds_count 6`,
		`weir_errors_total 1`,
		`weir_config_reloads_total{result="ok"} 1`,
		`weir_config_reloads_total{result="refused"} 1`,
		`weir_config_valid 0`,
		`weir_memory_keys 7`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(text, "secret-caller") {
		t.Error("a caller is in a label")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// metrics are the lines that are weir's own.
func metrics(t *testing.T, m *Metrics) string {
	t.Helper()
	w := recorded(m.handler())
	if w.Code != http.StatusOK {
		t.Fatal(w.Code)
	}
	var own []string
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "weir_") {
			own = append(own, line)
		}
	}
	return strings.Join(own, "")
}

func recorded(h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w
}
