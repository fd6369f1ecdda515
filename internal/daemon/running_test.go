package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/admin"
)

// patience is how long a test waits for what happens at once, unless something
// is broken.
const patience = 20 * time.Second

// running is a daemon on free ports, as weir serve runs it.
type running struct {
	http, admin string // URLs
	grpc, resp  string // addresses
	log         *logLines
	stop        func() error
}

func start(t *testing.T, o Options) *running {
	t.Helper()
	o.HTTP, o.GRPC, o.RESP, o.Admin = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", cmp.Or(o.Admin, "127.0.0.1:0")
	log := newLogLines()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, o, io.Discard, slog.New(slog.NewJSONHandler(log, nil))) }()
	stop := sync.OnceValue(func() error {
		// A connection that was dialled and not used would be waited for.
		http.DefaultClient.CloseIdleConnections()
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	var serving struct{ HTTP, GRPC, RESP, Admin string }
	if err := json.Unmarshal([]byte(log.wait(t, `"msg":"serving"`)), &serving); err != nil {
		t.Fatal(err)
	}
	return &running{http: "http://" + serving.HTTP, admin: "http://" + serving.Admin, grpc: serving.GRPC, resp: serving.RESP, log: log, stop: stop}
}

// status is what /readyz says.
func (r *running) status(t *testing.T) (s admin.Status) {
	t.Helper()
	in, _ := http.NewRequest(http.MethodGet, r.admin+"/readyz", nil)
	_, body := do(t, in)
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// logLines keeps a log and lets tests wait for lines in it.
type logLines struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{} // closed at the next line
}

func newLogLines() *logLines { return &logLines{more: make(chan struct{})} }

// Write takes one line: slog writes a record at a time.
func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	close(l.more)
	l.more = make(chan struct{})
	return len(line), nil
}

// all are the lines that hold the text.
func (l *logLines) all(text string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// wait blocks until a line holds the text, and returns the first that does.
func (l *logLines) wait(t *testing.T, text string) string {
	t.Helper()
	return l.waitFor(t, text, 1)
}

// waitFor blocks until n lines hold the text, and returns the last of them.
func (l *logLines) waitFor(t *testing.T, text string, n int) string {
	t.Helper()
	over := time.After(patience)
	for {
		l.mu.Lock()
		more := l.more
		l.mu.Unlock()
		if found := l.all(text); len(found) >= n {
			return found[n-1]
		}
		select {
		case <-more:
		case <-over:
			t.Fatalf("no line holds %s, or too few:\n%s", text, strings.Join(l.all(""), ""))
		}
	}
}
