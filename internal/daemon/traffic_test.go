package daemon

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// B25: a hundred reloads under traffic interrupt no request and leave no goroutine
// behind. Every answer is by one configuration or the other, whole.
func TestAHundredReloadsUnderTraffic(t *testing.T) {
	before := runtime.NumGoroutine()
	file := write(t, edge(1_000_001))
	d := start(t, Options{Config: file})
	var answered atomic.Int64
	over := make(chan struct{})
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if err := askOnce(d.http); err != nil {
					t.Error(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	for i := range 100 {
		// In one step: a signal may be handled late, and would find half a file.
		if err := os.Rename(put(t, filepath.Dir(file), "next", edge(1_000_001+i%2)), file); err != nil {
			t.Fatal(err)
		}
		syscall.Kill(syscall.Getpid(), syscall.SIGHUP)
		d.log.waitFor(t, `"msg":"configuration loaded"`, i+1)
	}
	close(over)
	senders.Wait()
	if refused := d.log.all(`"level":"ERROR"`); len(refused) > 0 {
		t.Errorf("%s", refused)
	}
	if answered.Load() < 100 {
		t.Errorf("only %d requests were answered meanwhile", answered.Load())
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	waitUntil(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before+2 })
}

// askOnce checks one request, which must be admitted by a limit of 1000001 or
// 1000002.
func askOnce(url string) error {
	a, err := http.Get(url + "/check")
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if _, err := io.Copy(io.Discard, a.Body); err != nil {
		return err
	}
	limit := a.Header.Get("X-RateLimit-Limit")
	policy := fmt.Sprintf(`"edge";q=%s;w=60`, limit)
	if a.StatusCode != http.StatusOK || !strings.HasPrefix(limit, "100000") || a.Header.Get("RateLimit-Policy") != policy {
		return fmt.Errorf("status %d, %v", a.StatusCode, a.Header)
	}
	return nil
}

// waitUntil waits for a condition that nothing announces.
func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	over := time.After(patience)
	for !ok() {
		select {
		case <-look.C:
		case <-over:
			t.Fatalf("%s: still not so", what)
		}
	}
}
