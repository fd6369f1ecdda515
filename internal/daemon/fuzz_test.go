package daemon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/front/forwardauth"
	"github.com/weirhq/weir/internal/receipt"
)

// fuzzed is the handler on the default policy and a clock that stands still.
func fuzzed(f *testing.F) http.Handler {
	f.Helper()
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return noon }})
	f.Cleanup(func() { store.Close() })
	l, _, err := load(&Options{})
	if err != nil {
		f.Fatal(err)
	}
	return traffic(newEngine(memoryBackend(store), admin.NewMetrics(), l), forwardauth.Plain)
}

// Whatever is posted, the answer is 200 with a decision or 4xx with a sentence.
func FuzzTake(f *testing.F) {
	f.Add([]byte(search))
	f.Add([]byte(`{"key": "a", "limit": "100/1h30m", "algorithm": "token-bucket", "burst": 20, "cost": 3, "peek": true}`))
	f.Add([]byte(`{"key": "a", "limit": "9007199254740992/1us", "algorithm": "fixed-window", "cost": 9223372036854775807}`))
	f.Add([]byte(`{"attributes": {"ip": "fe80::1%eth0", "method": "M", "host": "[::1]:80", "path": "//%2e%2e/%zz?#", "headers": {"x-api-key": "\u0000\ud800"}}}`))
	for i := range badTakes {
		f.Add([]byte(badTakes[i].body))
	}
	handler := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		w := post(handler, "/v1/take", body)
		if w.Code == http.StatusOK {
			checkTaken(t, body, w.Body.Bytes())
			return
		}
		checkProblem(t, body, w)
	})
}

func post(handler http.Handler, path string, body []byte) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(body))))
	return w
}

func checkTaken(t *testing.T, body, text []byte) {
	t.Helper()
	var got take
	if err := json.Unmarshal(text, &got); err != nil || len(got.ID) != 16 {
		t.Fatalf("%q: %s, %v", body, text, err)
	}
	if got.Allowed != (got.RetryAfter == 0) || got.RetryAfter < -1 {
		t.Errorf("%q: allowed %v, retry after %d ms", body, got.Allowed, got.RetryAfter)
	}
	for _, l := range got.Limits {
		if l.Remaining < 0 || l.Remaining > l.Limit || l.Allowed != (l.Reason == "") || l.RetryAfter < -1 || l.ResetAt < noon.UnixMilli() {
			t.Errorf("%q: %+v", body, l)
		}
	}
}

func checkProblem(t *testing.T, input []byte, w *httptest.ResponseRecorder) {
	t.Helper()
	var p problemBody
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%q: %s, %v", input, w.Body, err)
	}
	if w.Code < 400 || w.Code > 499 || p.Status != w.Code || p.Detail == "" || len(p.Detail) > 500 {
		t.Errorf("%q: %d %+v", input, w.Code, p)
	}
}

// Whatever the query is, the answer is a decision, or 400 with a sentence.
func FuzzCheckQuery(f *testing.F) {
	for _, query := range []string{"", "cost=2&peek=1&deny=403", "cost=-1", "cost=9223372036854775808", "peek", "%zz&;&=", "deny=499&deny=x", "q=%00"} {
		f.Add("/search", query)
	}
	f.Add("//../%2e/%zz", "cost=1001")
	handler := fuzzed(f)
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/check", nil)
		r.URL.RawQuery = query
		r.URL.Path, r.URL.RawPath = "/check/"+path, ""
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		switch {
		case w.Code == http.StatusOK && w.Body.Len() > 0:
			t.Errorf("%q: a body %q", query, w.Body)
		case w.Code != http.StatusOK:
			checkProblem(t, []byte(query), w)
		}
		if w.Code != http.StatusBadRequest && w.Header().Get("Weir-Decision") == "" {
			t.Errorf("%q: status %d without a decision", query, w.Code)
		}
	})
}

// Whatever is posted as a receipt, nothing but a receipt of ours is one.
func FuzzRefund(f *testing.F) {
	f.Add([]byte(`{"receipt": "x"}`))
	f.Add([]byte(`{"receipt": "` + receipt.NewSigner([]byte("another secret")).Seal(1, nil) + `"}`))
	handler := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		checkProblem(t, body, post(handler, "/v1/refund", body))
	})
}

// A body that breaks off is the client's failure.
func TestBodyThatBreaksOff(t *testing.T) {
	s := newService(t, "")
	for _, path := range []string{"/v1/take", "/v1/take/batch", "/v1/refund"} {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, iotest.ErrReader(http.ErrBodyReadAfterClose)))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "The body could not be read to its end.") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
