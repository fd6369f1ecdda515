package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
)

// Plans in a Redis hash are those of its API keys, and a change of plan takes
// effect while the daemon runs.
func TestPlansFromARedisHash(t *testing.T) {
	server := redistest.Start(t)
	server.Do("hset", "plans", "k1", "pro")
	config := write(t, `
store: redis://`+server.Addr+`
budget: 5s
plans: {free: 60/min, pro: 600/min}
clients: {key: "header:X-API-Key", redis: plans, unknown: free}
layers: [{name: gateway, by: client, limit: plan}]
`)
	ctx, stop := context.WithCancel(t.Context())
	out := &output{}
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{Config: config, HTTP: "127.0.0.1:0"}, out, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	redistest.Until(t, 10*time.Second, func() bool { return strings.Contains(out.String(), "http://") }, "the daemon serves")
	address := out.String()[strings.Index(out.String(), "http://"):]
	address = strings.TrimSpace(address[:strings.IndexByte(address, '\n')])

	limit := func(key string) int64 {
		body := `{"attributes": {"ip": "203.0.113.7", "headers": {"X-API-Key": "` + key + `"}}, "peek": true}`
		r, err := http.Post(address+"/v1/take", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var answer struct{ Limits []struct{ Limit int64 } }
		if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || len(answer.Limits) != 1 {
			t.Fatal(answer, err)
		}
		return answer.Limits[0].Limit
	}
	if got := limit("k1"); got != 600 {
		t.Errorf("k1 has %d, want pro", got)
	}
	if got := limit("k2"); got != 60 {
		t.Errorf("k2 has %d, want free", got)
	}
	server.Do("hset", "plans", "k2", "pro")
	redistest.Until(t, 5*time.Second, func() bool { return limit("k2") == 600 }, "the new plan counts")
}

// output is what a daemon prints, readable while it runs.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
