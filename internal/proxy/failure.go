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
	if e.in.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody is there to be told
	}
	p := e.explain(err)
	if p.Status >= 500 {
		e.proxy.failures.report(p.Status, err)
	}
	e.headers.Set(w.Header(), &e.decision)
	p.Write(w)
}

func (e *exchange) explain(err error) httplimit.Problem {
	late := isTimeout(err)
	switch {
	case e.upload.failed() && late:
		return problem(http.StatusRequestTimeout, "The rest of the request did not arrive.")
	case e.upload.failed():
		return problem(http.StatusBadRequest, "The request's body is broken.")
	case late:
		return problem(http.StatusGatewayTimeout, "The upstream did not answer in time.")
	default:
		return problem(http.StatusBadGateway, "The upstream could not be asked.")
	}
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
