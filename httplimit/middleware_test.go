package httplimit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

func TestUnknownCallersAreRefused(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2))
	answer := send(New(limiter, ByHeader("X-API-Key", AnyValue, nil)).Wrap(ok()), from("203.0.113.7"))
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 403 || !strings.Contains(string(body), "The caller is not known.") {
		t.Errorf("got %d %s", answer.StatusCode, body)
	}
	if got := answer.Header.Get("X-RateLimit-Limit") + answer.Header.Get("Retry-After"); got != "" {
		t.Errorf("figures are made up: %q", got)
	}
}

// No decision is 503, without figures. Only a store that does not answer may be
// passed over: whoever sends a credential could make the other errors.
func TestNoDecision(t *testing.T) {
	errKey := errors.New("malformed token")
	failing := func(*http.Request) (string, error) { return "", errKey }
	gone, hangUp := context.WithCancel(context.Background())
	hangUp()
	for _, c := range []struct {
		name     string
		key      KeyFunc
		request  *http.Request
		options  []Option
		status   int
		ran      int
		reported error
	}{
		{"the store is down", ByIP(), from("203.0.113.7"), nil, 503, 0, errDown},
		{"the store is down and that is fine", ByIP(), from("203.0.113.7"), []Option{WithAllowOnError()}, 200, 1, errDown},
		{"the key cannot be told", failing, from("203.0.113.7"), []Option{WithAllowOnError(), WithUnknownUncounted()}, 503, 0, errKey},
		{"nor could the first of two", FirstOf(failing, ByIP()), from("203.0.113.7"), []Option{WithAllowOnError()}, 503, 0, errKey},
		{"the client is gone", ByIP(), from("203.0.113.7").WithContext(gone), []Option{WithAllowOnError()}, 503, 0, nil},
		{"answered by a handler of one's own", ByIP(), from("203.0.113.7"), []Option{WithUnavailable(&answering{status: 599})}, 599, 0, errDown},
	} {
		t.Run(c.name, func(t *testing.T) {
			limiter, _ := newLimiter(t, weir.PerMinute(2))
			var reported error
			handler := ok()
			m := New(broken{limiter}, c.key, append(c.options, WithReport(func(_ *http.Request, err error) { reported = err }))...)
			answer := send(m.Wrap(handler), c.request)
			if answer.StatusCode != c.status || handler.runs() != c.ran || reported != c.reported {
				t.Errorf("status %d, ran %d, reported %v", answer.StatusCode, handler.runs(), reported)
			}
			for name := range answer.Header {
				if name != "Content-Type" && name != "Cache-Control" {
					t.Errorf("%s: %q", name, answer.Header[name])
				}
			}
			if body, _ := io.ReadAll(answer.Body); strings.Contains(string(body), "refused") || strings.Contains(string(body), "malformed") {
				t.Errorf("the cause is told to the client: %s", body)
			}
		})
	}
}

// A refund is tried for a client too that has hung up meanwhile.
func TestRefundThatFailsIsReported(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2))
	var reported error
	m := New(noRefunds{limiter}, ByIP(), WithCountOnly(Failures), WithReport(func(_ *http.Request, err error) { reported = err }))
	ctx, hangUp := context.WithCancel(context.Background())
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hangUp() })
	if send(m.Wrap(handler), from("203.0.113.7").WithContext(ctx)).StatusCode != 200 || reported != errDown {
		t.Errorf("reported %v", reported)
	}
}

// noRefunds decides, and then its store goes away.
type noRefunds struct{ *weir.Limiter }

func (noRefunds) Refund(ctx context.Context, _ string, _ int64, _ weir.Result) (bool, error) {
	if _, bounded := ctx.Deadline(); !bounded || ctx.Err() != nil {
		return false, errors.New("a refund outlives its request, and has a bound")
	}
	return false, errDown
}

func TestCost(t *testing.T) {
	cost := func(r *http.Request) int64 {
		if r.Method == "POST" {
			return 3
		}
		return map[string]int64{"/": 1, "/free": 0, "/odd": -1, "/huge": 9}[r.URL.Path]
	}
	limiter, _ := newLimiter(t, weir.PerMinute(5), perMinute)
	handler := ok()
	h := New(limiter, ByIP(), WithCost(cost), WithAllowOnError()).Wrap(handler)
	for _, c := range []struct {
		method, path string
		status       int
		remaining    string
		retry        string
	}{
		{"POST", "/", 200, "2", ""},
		{"POST", "/", 429, "2", "60"},
		{"GET", "/", 200, "1", ""},
		{"GET", "/free", 200, "1", ""},
		{"GET", "/odd", 400, "", ""},
		{"GET", "/huge", 429, "1", ""}, // no wait helps
	} {
		answer := send(h, request(c.method, c.path, "203.0.113.7"))
		remaining, retry := answer.Header.Get("X-RateLimit-Remaining"), answer.Header.Get("Retry-After")
		if answer.StatusCode != c.status || remaining != c.remaining || retry != c.retry {
			t.Errorf("%s %s: %d, remaining %q, retry after %q", c.method, c.path, answer.StatusCode, remaining, retry)
		}
	}
	if handler.runs() != 3 {
		t.Errorf("the handler ran %d times", handler.runs())
	}
}

func TestSkipped(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(1), perMinute)
	path := func(want string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.URL.Path == want }
	}
	h := New(limiter, ByIP(), WithSkip(path("/healthz")), WithSkip(nil), WithSkip(path("/metrics"))).Wrap(ok())
	for _, skipped := range []string{"/healthz", "/metrics"} {
		for range 3 {
			answer := send(h, request("GET", skipped, "203.0.113.7"))
			if answer.StatusCode != 200 || len(answer.Header) != 0 {
				t.Errorf("%s: %d %v", skipped, answer.StatusCode, answer.Header)
			}
		}
	}
	if got, want := statuses(h, 2, func() *http.Request { return from("203.0.113.7") }), []int{200, 429}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What a refusal handler is given may be kept.
func TestRefusalOfOnesOwn(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(1), perMinute)
	var kept []*weir.Decision
	h := New(limiter, ByIP(), WithName("search"), WithRefusal(func(w http.ResponseWriter, _ *http.Request, d *weir.Decision) {
		kept = append(kept, d)
		http.Error(w, "slow down", http.StatusServiceUnavailable)
	})).Wrap(ok())
	send(h, from("203.0.113.7"))
	for range 2 {
		answer := send(h, from("203.0.113.7"))
		if body, _ := io.ReadAll(answer.Body); answer.StatusCode != 503 || string(body) != "slow down\n" || answer.Header.Get("Retry-After") != "60" {
			t.Errorf("got %d %s %v", answer.StatusCode, body, answer.Header)
		}
	}
	for _, d := range kept {
		if PolicyName(d, d.Refused) != "search" || d.Results[0].Limit != 1 || d.RetryAfter != time.Minute || d.Checks[0].Key.Identity != "203.0.113.7" {
			t.Errorf("kept %+v", d)
		}
	}
	if kept[0].ID == kept[1].ID {
		t.Error("two decisions have one id")
	}
}

func TestFuncOfSeveralLimits(t *testing.T) {
	store, _ := newStore(t)
	group := &weir.Group{Charge: weir.Admitted}
	checks := []weir.Check{
		{Key: weir.Key{Layer: "edge"}, Limit: limit(t, weir.PerMinute(9), perMinute), Cost: 1, Group: group},
		{Key: weir.Key{Layer: "search"}, Limit: limit(t, weir.PerHour(2), perMinute), Cost: 1, Group: group},
	}
	down := false
	decide := func(r *http.Request) (weir.Decision, error) {
		if down {
			return weir.Decision{}, errDown
		}
		results := make([]weir.Result, len(checks))
		err := store.Take(r.Context(), checks, results)
		return weir.Decide(weir.NewID(), checks, results), err
	}
	handler := &answering{status: 404}
	h := NewFunc(store, decide, WithCountOnly(Failures)).Wrap(handler)
	if got, want := statuses(h, 3, func() *http.Request { return from("203.0.113.7") }), []int{404, 404, 429}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	store.Reset(context.Background(), []weir.Key{checks[0].Key, checks[1].Key})
	handler.status = 200
	for range 9 { // given back each time, in both limits
		answer := send(h, from("203.0.113.7"))
		if answer.StatusCode != 200 || answer.Header.Get("RateLimit-Policy") != `"edge";q=9;w=60, "search";q=2;w=3600` || answer.Header.Get("X-RateLimit-Remaining") != "1" {
			t.Fatalf("got %d %v", answer.StatusCode, answer.Header)
		}
	}
	down = true
	if got := send(h, from("203.0.113.7")).StatusCode; got != 503 {
		t.Errorf("got %d", got)
	}
}

func TestWhatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(1))
	var missing *weir.Limiter
	decide := func(*http.Request) (weir.Decision, error) { return weir.Decision{}, nil }
	for name, f := range map[string]func(){
		"no limiter":         func() { New(nil, ByIP()) },
		"a limiter of nil":   func() { New(missing, ByIP()) },
		"no key":             func() { New(limiter, nil) },
		"no key of several":  func() { FirstOf(ByIP(), nil) },
		"no known values":    func() { ByHeader("X-API-Key", nil, nil) },
		"no known tokens":    func() { ByBearer(nil, nil) },
		"no handler":         func() { New(limiter, ByIP()).Wrap(nil) },
		"no function":        func() { NewFunc(nil, nil) },
		"no store to refund": func() { NewFunc(nil, decide, WithCountOnly(Failures)) },
	} {
		panicked := true
		survive(func() { f(); panicked = false })
		if !panicked {
			t.Errorf("%s: works", name)
		}
	}
	NewFunc(nil, decide)
	New(limiter, ByIP(), WithRefusal(nil), WithUnavailable(nil), WithReport(nil), WithCost(nil), WithCountOnly(nil))
}

// A panic in a key function is the request's own: others pass, and nothing is held.
func TestPanicInAKeyFunction(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(1), perMinute)
	h := New(limiter, func(r *http.Request) (string, error) {
		if r.URL.Path == "/bad" {
			panic("key")
		}
		return "one", nil
	}).Wrap(ok())
	survive(func() { h.ServeHTTP(httptest.NewRecorder(), request("GET", "/bad", "203.0.113.7")) })
	if got := send(h, from("203.0.113.7")).StatusCode; got != 200 {
		t.Errorf("got %d", got)
	}
}
