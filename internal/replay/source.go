package replay

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Input is one log.
type Input struct {
	Name string
	// Reader gives the log, plain or compressed by gzip. It is read to its end
	// and not closed.
	Reader io.Reader
}

const (
	batchSize = 256 // requests that are handed over at once
	sampled   = 200 // lines by which a format is told
)

// source reads one log in a goroutine of its own, which ends with the log or
// with its context.
type source struct {
	tally   fileTally
	intern  func(*entry) request
	parsed  []entry // and not yet handed over; behind them one for the line at hand
	batches chan []request
	batch   []request // being read by next
	at      int
}

func openSource(ctx context.Context, in Input, f *format, intern func(*entry) request, running *sync.WaitGroup) *source {
	s := &source{tally: fileTally{name: in.Name}, intern: intern, parsed: make([]entry, 1, batchSize+1), batches: make(chan []request, 4)}
	running.Go(func() {
		defer close(s.batches)
		s.tally.failed = s.read(ctx, in.Reader, f)
	})
	return s
}

// next is the next request in the order of the file; false at its end. The tally
// is complete then, and not before.
func (s *source) next(r *request) bool {
	for s.at == len(s.batch) {
		batch, more := <-s.batches
		if !more {
			return false
		}
		s.batch, s.at = batch, 0
	}
	*r = s.batch[s.at]
	s.at++
	return true
}

// read parses the log to its end.
func (s *source) read(ctx context.Context, from io.Reader, f *format) error {
	plain, err := unzipped(from)
	if err != nil {
		return err
	}
	lines := newLineReader(plain)
	begun, err := sample(lines)
	if f == nil {
		if f = detect(begun); f == nil && len(begun) > 0 {
			return &UnknownFormatError{File: s.tally.name, Line: beginning(begun[0], 80)}
		}
	}
	if f == nil {
		return ended(err)
	}
	s.tally.format = f.name
	j := joiner{parse: f.make(), tally: &s.tally, entry: &s.parsed[0]}
	j.emit = func(string) { j.entry = s.another() }
	for ; err == nil; err = s.hand(ctx, &j, batchSize) {
		var line string
		if len(begun) > 0 {
			line, begun = begun[0], begun[1:]
		} else if line, err = s.nextLine(ctx, lines, &j); err != nil {
			break
		}
		s.tally.lines++
		j.line(s.tally.lines, line)
	}
	for _, line := range begun { // a log shorter than the sample
		s.tally.lines++
		j.line(s.tally.lines, line)
	}
	j.end()
	if handed := s.hand(ctx, &j, 1); handed != nil {
		return handed
	}
	return ended(err)
}

// nextLine is the next of the log. Before it overwrites those before it, nothing is left
// that is part of them.
func (s *source) nextLine(ctx context.Context, lines *lineReader, j *joiner) (string, error) {
	if lines.atEnd() {
		if err := s.hand(ctx, j, 1); err != nil {
			return "", err
		}
		j.keep()
	}
	return lines.next()
}

// another keeps the entry at hand and makes room for the next.
func (s *source) another() *entry {
	s.parsed = s.parsed[:len(s.parsed)+1]
	return &s.parsed[len(s.parsed)-1]
}

// hand hands over what is parsed, once that is n entries. To intern them together
// lets the processor wait for several look-ups at once.
func (s *source) hand(ctx context.Context, j *joiner, n int) error {
	parsed := s.parsed[:len(s.parsed)-1]
	if len(parsed) < n {
		return nil
	}
	requests := make([]request, len(parsed))
	for i := range parsed {
		requests[i] = s.intern(&parsed[i])
	}
	s.parsed = s.parsed[:1]
	j.entry = &s.parsed[0]
	select {
	case s.batches <- requests:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sample reads lines ahead, until there are enough to tell the format by.
func sample(lines *lineReader) (begun []string, err error) {
	for len(begun) < sampled {
		line, err := lines.next()
		if err != nil {
			return begun, err
		}
		if len(begun) == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		begun = append(begun, strings.Clone(line))
	}
	return begun, nil
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unzipped looks at the first two bytes of a log: its name may be anything.
func unzipped(from io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(from, chunkSize)
	magic, _ := buffered.Peek(2)
	if string(magic) != "\x1f\x8b" {
		return buffered, nil
	}
	return gzip.NewReader(buffered)
}

// UnknownFormatError is a log in which no format reads a single line.
type UnknownFormatError struct {
	File string
	Line string // the first
}

func (e *UnknownFormatError) Error() string {
	return fmt.Sprintf("replay: %s: this is no access log in a format that is known; it begins %q", e.File, e.Line)
}
