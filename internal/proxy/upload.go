package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// upload is a client's body on its way. The client may take its time, but not
// stop in the middle.
type upload struct {
	body   io.ReadCloser
	writer http.ResponseWriter // of the same connection
	pace   pace
	fault  atomic.Int32 // status for how the client broke it off; 0: it did not
	atEnd  func()       // nil without trailers
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	if deadline, due := u.pace.extend(); due {
		http.NewResponseController(u.writer).SetReadDeadline(deadline)
	}
	n, err := u.body.Read(p)
	switch {
	case err == nil:
	case err == io.EOF:
		// From here on net/http reads to see the client hang up, however late.
		http.NewResponseController(u.writer).SetReadDeadline(time.Time{})
		if u.atEnd != nil {
			u.atEnd()
		}
	case errors.Is(err, http.ErrBodyReadAfterClose): // the Transport gave up
	case isTimeout(err):
		u.fault.Store(http.StatusRequestTimeout)
	default:
		u.fault.Store(http.StatusBadRequest)
	}
	return n, err
}

// drainable lets the server read on after the answer: a connection that is closed
// with something unread in it is reset, and the client may lose the answer.
func (u *upload) drainable() {
	http.NewResponseController(u.writer).SetReadDeadline(time.Now().Add(u.pace.timeout))
}

// Close implements io.Closer.
func (u *upload) Close() error { return u.body.Close() }
