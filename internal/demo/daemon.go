package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	weird "github.com/weirhq/weir/internal/daemon"
)

// daemon is weir as it runs for the demo.
type daemon struct {
	admin, token string
	client       http.Client
	cancel       context.CancelFunc
	ended        chan struct{} // closed when it has
	err          error         // why; read it after that
}

// startDaemon starts weir proxy. It is stopped by stop alone, after the callers: so
// the context is none of the caller's.
func startDaemon(o *Options, config, upstream string, log *slog.Logger) *daemon {
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{admin: "http://" + o.Admin, token: o.Token, client: http.Client{Timeout: time.Second}, cancel: cancel, ended: make(chan struct{})}
	options := weird.Options{
		Config: config, HTTP: o.HTTP, Admin: o.Admin, Token: o.Token, Secret: rand.Text(),
		Proxy: &weird.Proxy{Upstream: upstream, Timeout: 10 * time.Second},
	}
	go func() {
		defer close(d.ended)
		d.err = weird.Run(ctx, options, io.Discard, log)
	}()
	return d
}

// ready waits until the daemon answers.
func (d *daemon) ready(ctx context.Context) error {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		if _, err := d.get("/readyz"); err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return d.stop()
		case <-d.ended:
			return d.stop()
		}
	}
}

// stop ends it, and says what it ended of if that was earlier.
func (d *daemon) stop() error {
	d.client.CloseIdleConnections()
	d.cancel()
	<-d.ended
	return d.err
}

// counts are those of its metrics.
func (d *daemon) counts() (counts, error) {
	text, err := d.get("/metrics")
	if err != nil {
		return counts{}, err
	}
	return parseCounts(text), nil
}

func (d *daemon) get(path string) (string, error) {
	r, err := http.NewRequest(http.MethodGet, d.admin+path, nil)
	if err != nil {
		return "", err
	}
	if d.token != "" {
		r.Header.Set("Authorization", "Bearer "+d.token)
	}
	a, err := d.client.Do(r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("demo: %s: %s", path, a.Status)
	}
	return string(body), err
}

// addressOr is the address that was asked for, or else the usual one, or else one
// that was free a moment ago.
func addressOr(asked, usual string) string {
	if asked != "" {
		return asked
	}
	for _, address := range []string{usual, "127.0.0.1:0"} {
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return l.Addr().String()
		}
	}
	return usual // the daemon says what is wrong with it
}
