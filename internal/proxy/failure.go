package proxy

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/weirhq/weir/httplimit"
)

// failed answers where there is no answer of the upstream's.
func (e *exchange) failed(w http.ResponseWriter, _ *http.Request, err error) {
	p, upstream := e.explain(err)
	switch {
	case upstream && e.in.Context().Err() != nil:
		panic(http.ErrAbortHandler) // nobody is there to be told
	case upstream:
		e.proxy.failures.report(p.Status, err)
	}
	if e.upload != nil {
		e.upload.drainable()
	}
	p.Write(w)
}

// explain tells the client's failures from the upstream's.
func (e *exchange) explain(err error) (p httplimit.Problem, upstream bool) {
	if e.upload != nil {
		switch e.upload.fault.Load() {
		case http.StatusRequestTimeout:
			return httplimit.NewProblem(http.StatusRequestTimeout, "The rest of the request did not arrive."), false
		case http.StatusBadRequest:
			return httplimit.NewProblem(http.StatusBadRequest, "The request's body is broken."), false
		}
	}
	if isTimeout(err) {
		return httplimit.NewProblem(http.StatusGatewayTimeout, "The upstream did not answer in time."), true
	}
	return httplimit.NewProblem(http.StatusBadGateway, "The upstream could not be asked."), true
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// failures logs why the upstream does not answer, once a second: it may be every
// request there is.
type failures struct {
	log *slog.Logger

	mu     sync.Mutex
	last   time.Time
	unsaid int
}

func (f *failures) report(status int, err error) {
	f.mu.Lock()
	now := time.Now()
	if now.Sub(f.last) < time.Second {
		f.unsaid++
		f.mu.Unlock()
		return
	}
	unsaid := f.unsaid
	f.last, f.unsaid = now, 0
	f.mu.Unlock()
	f.log.Warn("upstream: no answer", "status", status, "because", err, "more_since_last", unsaid)
}
