package httplimit

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// t0 is the first instant of a minute, an hour and a day.
var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is what a store's time is read from; tests set it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// at sets the clock, as an offset from t0.
func (c *clock) at(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t0.Add(offset)
}

func newStore(t testing.TB) (*weir.MemoryStore, *clock) {
	t.Helper()
	c := &clock{now: t0}
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: c.read})
	t.Cleanup(func() { store.Close() })
	return store, c
}

func newLimiter(t testing.TB, rate weir.Rate, options ...weir.Option) (*weir.Limiter, *clock) {
	t.Helper()
	store, c := newStore(t)
	l, err := weir.New(rate, append(options, weir.WithStore(store))...)
	if err != nil {
		t.Fatal(err)
	}
	return l, c
}

var perMinute = weir.WithAlgorithm(weir.FixedWindow)

// from is a request of the client.
func from(ip string) *http.Request { return request("GET", "/", ip) }

func request(method, target, ip string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	r.RemoteAddr = ip + ":5123"
	return r
}

func with(r *http.Request, header, value string) *http.Request {
	r.Header.Set(header, value)
	return r
}

func send(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// statuses sends a request n times.
func statuses(h http.Handler, n int, request func() *http.Request) []int {
	codes := make([]int, n)
	for i := range codes {
		codes[i] = send(h, request()).StatusCode
	}
	return codes
}

// admits is how many of n requests are answered below 400.
func admits(h http.Handler, n int, request func() *http.Request) (passed int) {
	for _, code := range statuses(h, n, request) {
		if code < 400 {
			passed++
		}
	}
	return passed
}

// answering is a handler that counts its runs.
type answering struct {
	status int
	mu     sync.Mutex
	ran    int
}

func (a *answering) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	a.ran++
	a.mu.Unlock()
	w.WriteHeader(a.status)
}

func (a *answering) runs() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ran
}

func ok() *answering { return &answering{status: 200} }

// broken is a limiter whose store does not answer.
type broken struct{ *weir.Limiter }

var errDown = errors.New("dial 10.0.0.9:6379: connection refused")

func (broken) AllowN(ctx context.Context, _ string, _ int64) (weir.Result, error) {
	if err := ctx.Err(); err != nil {
		return weir.Result{}, err
	}
	return weir.Result{}, errDown
}

func (broken) Refund(context.Context, string, int64, weir.Result) (bool, error) {
	return false, errDown
}
