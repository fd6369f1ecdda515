package admin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/trail"
)

// engine answers what a test wants it to.
type engine struct {
	status Status
	err    error
}

func (e *engine) Status() Status { return e.status }

func (e *engine) Reset(_ context.Context, layer, _ string) (int, error) {
	if layer == "none" {
		return 0, InputError("There is no such layer.")
	}
	return 2, e.err
}

func (e *engine) Peek(_ context.Context, layer, _ string) (weir.Decision, error) {
	if layer == "none" {
		return weir.Decision{}, InputError("There is no such layer.")
	}
	return weir.Decision{}, e.err
}

func (e *engine) Ask(context.Context, []byte) (Asked, error) {
	return Asked{Record: &trail.Record{Allowed: true}}, e.err
}

func (e *engine) Configuration() (Configuration, error) {
	return Configuration{YAML: "layers: []\n", JSON: []byte(`{"layers":[]}`)}, nil
}

func ask(e *engine, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "http://localhost:9090"+path, strings.NewReader(body))
	New(e, trail.New(), NewMetrics(), Options{}).ServeHTTP(w, r)
	return w
}

func TestAnswersOfThePort(t *testing.T) {
	const reset = `{"layer": "edge", "key": "203.0.113.7"}`
	draining := &engine{status: Status{Config: ConfigStatus{Valid: true, LoadedAt: "2024-05-15T12:00:00Z"}, Store: StoreStatus{Kind: "memory", Reachable: true}}}
	serving := &engine{status: Status{Ready: true, Config: ConfigStatus{File: "weir.yaml", LoadedAt: "2024-05-15T12:00:00Z", Error: "weir.yaml:1:1: the file is empty", Warnings: 2}}}
	for _, c := range []struct {
		name               string
		engine             *engine
		method, path, body string
		status             int
		want               string
	}{
		{"healthy", serving, "GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"healthy while draining", draining, "GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"ready, though a newer file was refused", serving, "GET", "/readyz", "", 200, `{"ready":true,"config":{"valid":false,"file":"weir.yaml","loaded_at":"2024-05-15T12:00:00Z","error":"weir.yaml:1:1: the file is empty","warnings":2},"store":{"kind":"","reachable":false,"keys":0}}`},
		{"not ready", draining, "GET", "/readyz", "", 503, `{"ready":false,"config":{"valid":true,"loaded_at":"2024-05-15T12:00:00Z"},"store":{"kind":"memory","reachable":true,"keys":0}}`},
		{"reset", serving, "POST", "/v1/reset", reset, 200, `{"keys":2}`},
		{"reset of a caller that is not remembered", serving, "POST", "/v1/reset", strings.Replace(reset, "203.0.113.7", "~00000000000000ff", 1), 404, `{"type":"about:blank","title":"Not Found","status":404,"detail":"This process remembers no caller of this layer by that ref: give the key itself."}`},
		{"peek at one", serving, "GET", "/v1/keys?layer=edge&key=~00000000000000ff", "", 404, `{"type":"about:blank","title":"Not Found","status":404,"detail":"This process remembers no caller of this layer by that ref: give the key itself."}`},
		{"reset of no layer", serving, "POST", "/v1/reset", strings.Replace(reset, "edge", "none", 1), 400, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"There is no such layer."}`},
		{"reset without the store", &engine{err: errors.New("dial tcp: refused")}, "POST", "/v1/reset", reset, 503, `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"The store does not answer; whether it was reset is not known."}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ask(c.engine, c.method, c.path, c.body)
			if got := strings.TrimSpace(w.Body.String()); w.Code != c.status || got != c.want {
				t.Errorf("got  %d %s\nwant %d %s", w.Code, got, c.status, c.want)
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control is %q", got)
			}
		})
	}
}

func TestHealthHasNoBodyForHead(t *testing.T) {
	if w := ask(&engine{}, http.MethodHead, "/healthz", ""); w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:9090": true, "127.0.0.1": true, "127.1.2.3:80": true, "[::1]:9090": true, "[::1]": true, "::1": true, "[::ffff:127.0.0.1]:80": true,
		"": false, ":9090": false, "0.0.0.0:80": false, "[::]:80": false, "192.0.2.1:80": false, "localhost.evil.example": false, "127.0.0.1.evil.example:80": false, "evil.example": false, "128.0.0.1": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
