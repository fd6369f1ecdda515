package replay

import (
	"bytes"
	"io"
	"strings"
)

const (
	chunkSize = 256 << 10
	// maxLine is the longest line that is looked at whole: of a longer one the
	// rest is left out.
	maxLine = 64 << 10
)

// lineReader cuts a log into lines. It copies a chunk of the log at a time into
// one string, of which the lines are parts.
type lineReader struct {
	from  io.Reader
	buf   []byte // read and not yet handed out
	chunk string // handed out up to here
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

// fill makes a chunk of whole lines.
func (r *lineReader) fill() error {
	for {
		if r.err != nil && len(r.buf) == 0 {
			return r.err
		}
		if end := r.wholeLines(); end > 0 {
			r.chunk = string(r.buf[:end])
			r.buf = r.buf[:copy(r.buf, r.buf[end:])]
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
