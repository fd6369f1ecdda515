package httplimit

import (
	"io"
	"net/http"
)

// response watches an answer: rate-limit fields do not belong on a redirect, and
// what counts depends on the status. It is made anew for each request, together
// with the memory of the fields, and never reused: a handler's goroutine that
// outlives its request must not write into another one's answer.
type response struct {
	http.ResponseWriter
	settings *settings
	status   int32 // of the final header; 0 before it is written
	touched  bool  // the handler has asked for the fields, and may have added some

	// The fields of an admitted request by one limit; others take an allocation more.
	// With the rest that is 240 bytes, for which the runtime has a size.
	values [6]string
	text   [112]byte
}

func (w *response) fields(header http.Header) fields {
	return fields{header: header, values: w.values[:], text: w.text[:0]}
}

// Unwrap is for http.ResponseController. The fields are there as well.
func (w *response) Unwrap() http.ResponseWriter {
	w.touched = true
	return w.ResponseWriter
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header {
	w.touched = true
	return w.ResponseWriter.Header()
}

// WriteHeader implements http.ResponseWriter. It takes the fields back where the
// answer is a redirect: whether another address may be asked now is not theirs to
// say.
func (w *response) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (w *response) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

// WriteString implements io.StringWriter.
func (w *response) WriteString(s string) (int, error) {
	w.begin(http.StatusOK)
	return io.WriteString(w.ResponseWriter, s)
}

// ReadFrom keeps the way to sendfile open that http.ServeContent takes.
func (w *response) ReadFrom(src io.Reader) (int64, error) {
	w.begin(http.StatusOK)
	return io.Copy(w.ResponseWriter, src)
}

// FlushError is what http.ResponseController.Flush calls.
func (w *response) FlushError() error {
	w.begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// begin notes the final header. What comes before it (100 to 199, but for 101) is
// not the answer.
func (w *response) begin(status int) {
	if w.status != 0 || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	w.status = int32(status)
	switch {
	case redirect(status):
		for _, name := range w.settings.limits {
			delete(w.ResponseWriter.Header(), name)
		}
	case w.touched:
		w.keepFirst()
	}
}

// keepFirst keeps what was said here. A reverse proxy adds what its upstream says of
// limits of its own; no client reads a list.
func (w *response) keepFirst() {
	header := w.ResponseWriter.Header()
	for _, name := range w.settings.limits {
		if lines := header[name]; len(lines) > 1 {
			header[name] = lines[:1]
		}
	}
}

// redirect leaves out 304, which speaks of the address that was asked.
func redirect(status int) bool {
	return status >= 300 && status < 400 && status != http.StatusNotModified
}
