// Package clients runs real HTTP clients against httplimit: those that honour
// Retry-After, and a parser of rate-limit headers; and real clients of Redis against
// the daemon.
package clients

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// Clients that honour Retry-After finish all of their twelve calls at 2/s from a
// burst of 5, and none comes back a moment too early: a server that bans eager
// clients bans none of them.
func TestClientsFinishWithoutAnEarlyRetry(t *testing.T) {
	for name, run := range map[string]func(*testing.T, string) map[string]int{"Go": viaRetryableHTTP, "Node": viaNode} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits four seconds in all
			limiter, err := weir.New(weir.PerSecond(2), weir.WithBurst(5))
			if err != nil {
				t.Fatal(err)
			}
			defer limiter.Close()
			limit := httplimit.New(limiter, httplimit.ByHeader("X-Client", httplimit.AnyValue, nil))
			strict := &strict{next: limit.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))}
			server := httptest.NewServer(strict)
			defer server.Close()

			for client, succeeded := range run(t, server.URL) {
				if succeeded != 12 {
					t.Errorf("%s: %d of 12 calls succeeded", client, succeeded)
				}
				if strict.early(client) != 0 {
					t.Errorf("%s came back too early %d times", client, strict.early(client))
				}
				if strict.refused(client) < 3 {
					t.Errorf("set-up: %s was refused %d times only", client, strict.refused(client))
				}
			}
		})
	}
}

func viaRetryableHTTP(t *testing.T, url string) map[string]int {
	client := retryablehttp.NewClient()
	client.Logger = nil
	succeeded := 0
	for range 12 {
		r, err := retryablehttp.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Client", "go-retryablehttp")
		answer, err := client.Do(r)
		if err != nil {
			t.Error(err)
			continue
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			succeeded++
		}
	}
	return map[string]int{"go-retryablehttp": succeeded}
}

func viaNode(t *testing.T, url string) map[string]int {
	var succeeded map[string]int
	node(t, &succeeded, "", "calls.mjs", url)
	if len(succeeded) != 3 {
		t.Errorf("set-up: %v", succeeded)
	}
	return succeeded
}

// strict notes whoever comes back before its Retry-After is over, and bans it.
type strict struct {
	next http.Handler

	mu      sync.Mutex
	clients map[string]*record
}

type record struct {
	until          time.Time // when it may come back
	refused, early int
}

// slack is for timers of clients: those of Node fire up to a millisecond early.
const slack = 2 * time.Millisecond

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client := s.of(r.Header.Get("X-Client"))
	s.mu.Lock()
	now := time.Now()
	if now.Before(client.until.Add(-slack)) {
		client.early++
		s.mu.Unlock()
		http.Error(w, "banned", http.StatusForbidden)
		return
	}
	s.mu.Unlock()
	answer := httptest.NewRecorder()
	s.next.ServeHTTP(answer, r)
	if answer.Code == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(answer.Header().Get("Retry-After"))
		s.mu.Lock()
		client.refused++
		client.until = now.Add(time.Duration(seconds) * time.Second)
		s.mu.Unlock()
	}
	for name, lines := range answer.Header() {
		w.Header()[name] = lines
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

func (s *strict) of(name string) *record {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients == nil {
		s.clients = map[string]*record{}
	}
	if s.clients[name] == nil {
		s.clients[name] = new(record)
	}
	return s.clients[name]
}

func (s *strict) early(name string) int {
	client := s.of(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	return client.early
}

func (s *strict) refused(name string) int {
	client := s.of(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	return client.refused
}
