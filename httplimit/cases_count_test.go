package httplimit

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// B27: un-counting after the response took from whatever was current: another
// request, or the next window.
func TestB27UncountingHitsTheRequestsOwnWindow(t *testing.T) {
	limiter, clock := newLimiter(t, weir.PerMinute(5), perMinute)
	started, end := make(chan struct{}), make(chan struct{})
	h := New(limiter, ByIP(), WithCountOnly(Failures)).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			close(started)
			<-end
			return // 200
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	var a sync.WaitGroup
	clock.at(59_900 * time.Millisecond)
	a.Go(func() { send(h, request("GET", "/a", "203.0.113.7")) })
	<-started

	fail := func() *http.Request { return request("GET", "/b", "203.0.113.7") }
	clock.at(60_100 * time.Millisecond)
	if got, want := statuses(h, 5, fail), []int{401, 401, 401, 401, 401}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	clock.at(60_200 * time.Millisecond)
	close(end)
	a.Wait()
	clock.at(60_300 * time.Millisecond)
	if got := statuses(h, 1, fail); got[0] != 429 {
		t.Errorf("the sixth failure of the window got %d", got[0])
	}
}

// B27: the status was read before error handlers ran. A handler that returns an
// error failed, though the 500 is written by somebody else, later; so did one
// that panics.
func TestB27LateFailuresCount(t *testing.T) {
	for _, c := range []struct {
		name   string
		run    func(w http.ResponseWriter) error
		failed bool
	}{
		{"an error, answered later", func(http.ResponseWriter) error { return errors.New("no such row") }, true},
		{"an error after half an answer", func(w http.ResponseWriter) error { io.WriteString(w, "{"); return io.ErrUnexpectedEOF }, true},
		{"a panic", func(http.ResponseWriter) error { panic(http.ErrAbortHandler) }, true},
		{"a panic after half an answer", func(w http.ResponseWriter) error { io.WriteString(w, "{"); panic(http.ErrAbortHandler) }, true},
		{"a status of 500", func(w http.ResponseWriter) error { w.WriteHeader(500); return nil }, true},
		{"hints before a failure", func(w http.ResponseWriter) error { w.WriteHeader(103); w.WriteHeader(404); return nil }, true},
		{"a status that comes too late", func(w http.ResponseWriter) error { io.WriteString(w, "ok"); w.WriteHeader(500); return nil }, false},
		{"bytes, and a status that comes too late", func(w http.ResponseWriter) error { w.Write([]byte("ok")); w.WriteHeader(500); return nil }, false},
		{"a copy, and a status that comes too late", func(w http.ResponseWriter) error {
			io.Copy(w, io.LimitReader(strings.NewReader("ok"), 2))
			w.WriteHeader(500)
			return nil
		}, false},
		{"a flush, and a status that comes too late", func(w http.ResponseWriter) error {
			http.NewResponseController(w).Flush()
			w.WriteHeader(500)
			return nil
		}, false},
		{"nothing written", func(http.ResponseWriter) error { return nil }, false},
		{"text", func(w http.ResponseWriter) error { io.WriteString(w, "ok"); return nil }, false},
		{"a copy", func(w http.ResponseWriter) error { io.Copy(w, io.LimitReader(strings.NewReader("ok"), 2)); return nil }, false},
		{"a flush by assertion", func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return nil }, false},
		{"a flush by the controller", func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, counts := range map[string]func(int) bool{"failures": Failures, "successes": Successes} {
				var w http.ResponseWriter = httptest.NewRecorder()
				if !strings.Contains(c.name, "assertion") {
					w = &unwrapping{w}
				}
				limiter, _ := newLimiter(t, weir.PerMinute(5), perMinute)
				m := New(limiter, ByIP(), WithCountOnly(counts))
				survive(func() {
					m.Run(w, from("203.0.113.7"), func(w http.ResponseWriter, _ *http.Request) error { return c.run(w) })
				})
				want := int64(5)
				if c.failed == (name == "failures") {
					want = 4
				}
				if got := ask(t, limiter, 1, true).Results[0].Remaining; got != want {
					t.Errorf("counting %s: %d remain, want %d", name, got, want)
				}
			}
		})
	}
}

// unwrapping is what many middleware make of a writer: it can flush, but only a
// http.ResponseController finds out.
type unwrapping struct{ http.ResponseWriter }

func (u *unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func survive(f func()) {
	defer func() { recover() }()
	f()
}

type notFound struct{ error }

func (notFound) StatusCode() int { return http.StatusNotFound }

// An error that names its status has it.
func TestErrorsStatusCounts(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(5), perMinute)
	var seen int
	m := New(limiter, ByIP(), WithCountOnly(func(status int) bool { seen = status; return true }))
	err := m.Run(httptest.NewRecorder(), from("203.0.113.7"), func(http.ResponseWriter, *http.Request) error { return notFound{io.EOF} })
	if !errors.Is(err, io.EOF) && err != (notFound{io.EOF}) || seen != 404 {
		t.Errorf("counted as %d, returned %v", seen, err)
	}
}

// B67: the request over the limit was executed first and then answered 429, or the
// last allowed one got the 429.
func TestB67HandlerRunsAsOftenAsAdmitted(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int // of the handler
		options []Option
	}{
		{"all count", 200, nil},
		{"failures count", 500, []Option{WithCountOnly(Failures)}},
		{"successes count", 200, []Option{WithCountOnly(Successes)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
			handler := &answering{status: c.status}
			h := New(limiter, ByIP(), c.options...).Wrap(handler)
			got := statuses(h, 5, func() *http.Request { return from("203.0.113.7") })
			if want := []int{c.status, c.status, 429, 429, 429}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if handler.runs() != 2 {
				t.Errorf("the handler ran %d times", handler.runs())
			}
		})
	}
}

// B67: whether an answer counts is known only afterwards. Until then it does, so
// that callers at one time cannot pass together.
func TestB67NoMoreRunAtOneTimeThanTheLimitAdmits(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
	running, end := make(chan struct{}, 5), make(chan struct{})
	h := New(limiter, ByIP(), WithCountOnly(Failures)).Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		running <- struct{}{}
		<-end
	}))
	var group sync.WaitGroup
	var refused sync.WaitGroup
	refused.Add(3)
	for range 5 {
		group.Go(func() {
			if send(h, from("203.0.113.7")).StatusCode == 429 {
				refused.Done()
			}
		})
	}
	refused.Wait() // hangs where more than two run
	close(end)
	group.Wait()
	if len(running) != 2 {
		t.Errorf("%d ran at one time", len(running))
	}
	if got := ask(t, limiter, 1, true).Results[0].Remaining; got != 2 {
		t.Errorf("%d remain: both succeeded and are not counted", got)
	}
}

// B67: the body of a refused request is drained, and the connection serves the
// next one.
func TestB67ConnectionIsKeptAfterARefusal(t *testing.T) {
	limiter, _ := newLimiter(t, weir.PerMinute(2), perMinute)
	server := httptest.NewServer(New(limiter, ByIP()).Wrap(ok()))
	defer server.Close()
	addresses := map[string]bool{}
	trace := func(r *http.Request) { addresses[r.RemoteAddr] = true }
	server.Config.Handler = traced(server.Config.Handler, trace)
	var codes []int
	for range 5 {
		answer, err := server.Client().Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", 100<<10)))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		codes = append(codes, answer.StatusCode)
	}
	if want := []int{200, 200, 429, 429, 429}; !slices.Equal(codes, want) {
		t.Errorf("got %v, want %v", codes, want)
	}
	if len(addresses) != 1 {
		t.Errorf("%d connections were opened", len(addresses))
	}
}

func traced(h http.Handler, trace func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		trace(r)
		h.ServeHTTP(w, r)
	})
}
