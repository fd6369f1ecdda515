package httplimit

import (
	"bufio"
	"net"
	"net/http"
)

// watch wraps a writer in one that can do what it can: handlers ask by type
// assertion whether they may stream (SSE), take over the connection (websockets)
// or push, and believe the answer.
func watch(w http.ResponseWriter, s *settings) (http.ResponseWriter, *response) {
	if _, ok := w.(http.Flusher); !ok {
		r := &response{ResponseWriter: w, settings: s}
		return r, r
	}
	if _, ok := w.(http.Hijacker); ok {
		r := &hijackable{flushable{response{ResponseWriter: w, settings: s}}}
		return r, &r.response
	}
	if _, ok := w.(http.Pusher); ok {
		r := &pushable{flushable{response{ResponseWriter: w, settings: s}}}
		return r, &r.response
	}
	r := &flushable{response{ResponseWriter: w, settings: s}}
	return r, &r.response
}

// flushable is a response that streams.
type flushable struct{ response }

// Flush implements http.Flusher.
func (w *flushable) Flush() {
	w.begin(http.StatusOK)
	w.ResponseWriter.(http.Flusher).Flush()
}

// hijackable is a response of HTTP/1.
type hijackable struct{ flushable }

// Hijack implements http.Hijacker.
func (w *hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.ResponseWriter.(http.Hijacker).Hijack()
}

// pushable is a response of HTTP/2.
type pushable struct{ flushable }

// Push implements http.Pusher.
func (w *pushable) Push(target string, o *http.PushOptions) error {
	return w.ResponseWriter.(http.Pusher).Push(target, o)
}
