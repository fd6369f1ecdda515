package proxy

import (
	"context"
	"net/http"
	"strings"
	"sync"
)

// speaksHTTP reports whether one of the protocols in an Upgrade field is HTTP/2 or a
// version of HTTP, as such or after TLS. An upstream that took it would get request
// after request of which nobody is asked.
func speaksHTTP(upgrade string) bool {
	for protocol := range strings.SplitSeq(strings.ToLower(upgrade), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(protocol), "/")
		switch name {
		case "h2c", "h2", "h3", "http", "tls":
			return true
		}
	}
	return false
}

// upgraded are the requests that may have become a connection of another
// protocol, such as a websocket. An http.Server does not wait for those.
type upgraded struct {
	closing context.Context
	close   context.CancelFunc

	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count falls to 0; nil while nobody waits
}

func newUpgraded() *upgraded {
	u := &upgraded{}
	u.closing, u.close = context.WithCancel(context.Background())
	return u
}

// add counts the request until done is called. The one it returns ends when close
// is called, and with it both of its connections.
func (u *upgraded) add(r *http.Request) (_ *http.Request, done func()) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(u.closing, cancel)
	u.mu.Lock()
	u.count++
	u.mu.Unlock()
	return r.WithContext(ctx), func() {
		stop()
		cancel()
		u.remove()
	}
}

func (u *upgraded) remove() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count--; u.count == 0 && u.none != nil {
		close(u.none)
		u.none = nil
	}
}

// wait returns when there are none, or with the context's error.
func (u *upgraded) wait(ctx context.Context) error {
	u.mu.Lock()
	if u.count == 0 {
		u.mu.Unlock()
		return nil
	}
	if u.none == nil {
		u.none = make(chan struct{})
	}
	none := u.none
	u.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
