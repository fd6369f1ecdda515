package daemon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/front/forwardauth"
)

// noon is when the tests' clock starts: a whole minute, so that windows of the
// minute begin there.
var noon = time.Date(2024, time.May, 15, 12, 0, 0, 0, time.UTC)

// clock is a clock that stands still until it is told to go on.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

func (c *clock) advance(d time.Duration) { c.set(c.Now().Add(d)) }

// service is the engine with its handler, without a network.
type service struct {
	t       *testing.T
	clock   *clock
	store   *weir.MemoryStore
	engine  *Engine
	handler http.Handler
}

// newService runs a configuration's text; "" is the default policy.
func newService(t *testing.T, config string) *service {
	t.Helper()
	c := &clock{now: noon}
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: c.Now})
	t.Cleanup(func() { store.Close() })
	s := &service{t: t, clock: c, store: store}
	s.engine = newEngine(memoryBackend(store), admin.NewMetrics(), mustLoad(t, Options{Config: write(t, config)}))
	s.handler = traffic(s.engine, forwardauth.Plain)
	return s
}

// write puts a configuration in a file; "" is none.
func write(t testing.TB, config string) string {
	t.Helper()
	if config == "" {
		return ""
	}
	file := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func mustLoad(t testing.TB, o Options) *loaded {
	t.Helper()
	l, _, err := load(&o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// request is one that a test sends; what is left out is a GET from 203.0.113.7.
type request struct {
	method, target, body string
	from                 string
	header               map[string]string
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (s *service) send(r request) answer {
	s.t.Helper()
	if r.method == "" {
		r.method = http.MethodGet
	}
	if r.from == "" {
		r.from = "203.0.113.7"
	}
	in := httptest.NewRequest(r.method, r.target, strings.NewReader(r.body))
	in.RemoteAddr = r.from + ":5123"
	for name, value := range r.header {
		in.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, in)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// post sends a body and reads the answer's, which must be of this status.
func (s *service) post(path, body string, status int, into any) {
	s.t.Helper()
	a := s.send(request{method: http.MethodPost, target: path, body: body})
	if a.status != status {
		s.t.Fatalf("POST %s %.200s: status %d, want %d: %.300s", path, body, a.status, status, a.body)
	}
	a.decode(s.t, into)
}

func (a answer) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		t.Fatalf("%v in %.300s", err, a.body)
	}
}

// spend sends the request n times, all of which must pass.
func (s *service) spend(n int, r request) {
	s.t.Helper()
	for i := range n {
		if a := s.send(r); a.status != http.StatusOK {
			s.t.Fatalf("request %d of %d: status %d: %s", i+1, n, a.status, a.body)
		}
	}
}

// take is the answer to a take, as far as tests look at it.
type take struct {
	ID      string
	Allowed bool
	Layer   string
	Denied  string
	Limits  []takenLimit

	RetryAfter int64 `json:"retry_after_ms"`
	Degraded   bool
	Receipt    string
	Error      *problemBody // of an item in a batch
}

type takenLimit struct {
	Layer, Name, Algorithm, Key, Reason string
	Limit, Remaining                    int64
	RetryAfter                          int64 `json:"retry_after_ms"`
	ResetAt                             int64 `json:"reset_at_ms"`
	Allowed, Shadow                     bool
}

type problemBody struct {
	Type, Title, Detail, Decision string
	Status                        int
	Violated                      []string `json:"violated-policies"`
}
