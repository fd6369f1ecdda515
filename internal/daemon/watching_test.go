package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirhq/weir/internal/admin"
)

// watched is a service whose configuration is watched, in a synctest bubble: the
// watcher's time passes while the test waits.
type watched struct {
	*service
	dir, file string
	log       *logLines
	hup       chan os.Signal
}

// inBubble runs the test on a service that watches weir.yaml in a folder of its
// own, beginning with this text.
func inBubble(t *testing.T, config string, test func(*watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		test(watch(t, dir, put(t, dir, "weir.yaml", config)))
	})
}

// watch begins with what is in the file.
func watch(t *testing.T, dir, file string) *watched {
	t.Helper()
	return watchAll(t, dir, Options{Config: file})
}

// watchAll begins with all that the options name.
func watchAll(t *testing.T, dir string, o Options) *watched {
	t.Helper()
	w := &watched{service: newService(t, ""), dir: dir, file: o.Config, log: newLogLines(), hup: make(chan os.Signal)}
	w.handler = withEnvoy(w.handler, &o, w.engine)
	l, read, err := load(&o)
	if err != nil {
		t.Fatal(err)
	}
	w.engine.use(l)
	watcher := newWatcher(read, (&reloader{&o, w.engine, l, slog.New(slog.NewJSONHandler(w.log, nil))}).load)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		watcher.run(ctx, w.hup)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return w
}

// put writes a file and gives its name.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// settle lets a second pass: what README promises.
func (w *watched) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// limit is what the first layer admits, as answers say.
func (w *watched) limit() string {
	return w.send(request{target: "/check?peek=1"}).header.Get("X-RateLimit-Limit")
}

// metrics are the lines of /metrics that begin with the name.
func (w *watched) metrics(name string) string {
	w.t.Helper()
	port := service{t: w.t, handler: admin.New(w.engine, w.engine.trail, w.engine.metrics, admin.Options{})}
	var found []string
	for line := range strings.Lines(port.send(request{target: "http://localhost/metrics"}).body) {
		if strings.HasPrefix(line, name) {
			found = append(found, strings.TrimSpace(strings.TrimPrefix(line, name)))
		}
	}
	return strings.Join(found, " ")
}

// expect compares what the engine says of its configuration: the limit in use, the
// reloads so far, and why the file as it is now is not in use.
func (w *watched) expect(limit string, ok, refused int, why string) {
	w.t.Helper()
	valid, reloads := "1", ""
	if why != "" {
		valid = "0"
	}
	if ok > 0 {
		reloads = fmt.Sprintf(`{result="ok"} %d`, ok)
	}
	if refused > 0 {
		reloads = strings.TrimSpace(reloads + fmt.Sprintf(` {result="refused"} %d`, refused))
	}
	if got := w.limit(); got != limit {
		w.t.Errorf("the limit in use is %s, want %s", got, limit)
	}
	if got := w.metrics("weir_config_reloads_total"); got != reloads {
		w.t.Errorf("reloads: %q, want %q", got, reloads)
	}
	if got := w.metrics("weir_config_valid"); got != valid {
		w.t.Errorf("weir_config_valid is %s, want %s", got, valid)
	}
	s := w.engine.Status()
	if !s.Ready || s.Config.Valid != (why == "") || !strings.Contains(s.Config.Error, why) {
		w.t.Errorf("status is %+v, want %q", s, why)
	}
	if why != "" && len(w.log.all(fmt.Sprintf("%q", "configuration: "+s.Config.Error))) == 0 {
		w.t.Errorf("the log does not say why: %s", w.log.all(""))
	}
	if a := w.send(request{target: "/check"}); a.status != http.StatusOK && a.status != http.StatusTooManyRequests {
		w.t.Errorf("a request is answered %d", a.status)
	}
}

// Files that change between the first that is read and the last are not put in
// use: half of them may be the old ones.
func TestHalfOldHalfNewIsNotUsed(t *testing.T) {
	inBubble(t, edge(5), func(w *watched) {
		o := Options{Config: w.file}
		put(t, w.dir, "weir.yaml", edge(6))
		l, read, err := load(&o)
		if err != nil {
			t.Fatal(err)
		}
		put(t, w.dir, "weir.yaml", edge(7))
		r := reloader{&o, w.engine, l, slog.New(slog.NewJSONHandler(w.log, nil))}
		if r.take(l, read, nil); w.limit() != "5" {
			t.Errorf("the limit is %s", w.limit())
		}
		if w.settle(); w.limit() != "7" {
			t.Errorf("when the files have settled the limit is %s", w.limit())
		}
	})
}
