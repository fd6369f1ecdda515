package replay

import (
	"bytes"
	"io"
	"strings"
	"unsafe"
)

const (
	chunkSize = 256 << 10
	// maxLine is the longest line that is looked at whole: of a longer one the
	// rest is left out.
	maxLine = 64 << 10
)

// lineReader cuts a log into lines, which are parts of its buffer: they are good until
// the next is asked for of a reader that is at the end of a chunk.
type lineReader struct {
	from  io.Reader
	buf   []byte // read and not yet used up
	used  int    // of buf: the chunk that is handed out
	chunk string // what is left of it
	skip  bool   // the rest of a line that was too long
	err   error
}

func newLineReader(from io.Reader) *lineReader {
	return &lineReader{from: from, buf: make([]byte, 0, chunkSize+maxLine)}
}

// next is the next line without its end. At the end of the log err is io.EOF, or
// what reading failed with; what was read before has been handed out by then.
func (r *lineReader) next() (line string, err error) {
	for r.chunk == "" {
		if err := r.fill(); err != nil {
			return "", err
		}
	}
	line = r.chunk
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line, r.chunk = line[:i], r.chunk[i+1:]
	} else {
		r.chunk = ""
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

// atEnd reports whether the next line will overwrite those before it.
func (r *lineReader) atEnd() bool { return r.chunk == "" }

// fill makes a chunk of whole lines.
func (r *lineReader) fill() error {
	r.buf, r.used = r.buf[:copy(r.buf, r.buf[r.used:])], 0
	for {
		if r.err != nil && len(r.buf) == 0 {
			return r.err
		}
		if end := r.wholeLines(); end > 0 {
			// To copy each chunk into a string took a twelfth of the time.
			r.chunk, r.used = unsafe.String(&r.buf[0], end), end
			return nil
		}
		r.read()
	}
}

// wholeLines is how much of the buffer can be handed out.
func (r *lineReader) wholeLines() int {
	if r.skip {
		i := bytes.IndexByte(r.buf, '\n')
		if i < 0 {
			r.buf = r.buf[:0]
			return 0
		}
		r.buf = r.buf[:copy(r.buf, r.buf[i+1:])]
		r.skip = false
	}
	end := bytes.LastIndexByte(r.buf, '\n') + 1
	switch {
	case end > 0:
		return end
	case r.err != nil:
		return len(r.buf)
	case len(r.buf) >= maxLine:
		r.skip = true
		return len(r.buf)
	}
	return 0
}

func (r *lineReader) read() {
	if r.err != nil {
		return
	}
	n, err := r.from.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf, r.err = r.buf[:len(r.buf)+n], err
}
