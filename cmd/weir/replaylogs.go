package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/replay"
)

// openedLogs are the logs of one replay, and how far they have been read.
type openedLogs struct {
	inputs []replay.Input
	files  []*os.File
	read   atomic.Int64 // bytes
	size   int64        // 0 where that is not known
}

func openLogs(names []string, stdin io.Reader) (*openedLogs, error) {
	l := &openedLogs{}
	sized := true
	for _, name := range names {
		if name == "-" {
			l.inputs = append(l.inputs, replay.Input{Name: "-", Reader: &countingReader{stdin, &l.read}})
			sized = false
			continue
		}
		size, err := l.open(name)
		if err != nil {
			l.close()
			return nil, err
		}
		l.size += size
		sized = sized && size > 0
	}
	if !sized {
		l.size = 0
	}
	return l, nil
}

func (l *openedLogs) open(name string) (size int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	l.files = append(l.files, file)
	l.inputs = append(l.inputs, replay.Input{Name: name, Reader: &countingReader{file, &l.read}})
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if info.IsDir() {
		return 0, fmt.Errorf("%s is a folder: name the logs in it", name)
	}
	return info.Size(), nil
}

func (l *openedLogs) close() {
	for _, f := range l.files {
		f.Close()
	}
}

// replayHeadroom counts as in use for the garbage collector and is never touched: what a
// replay allocates it mostly keeps, and the collector would look at all of it each time it
// has doubled, from a few megabytes on. At most twice as much memory gathers meanwhile.
const replayHeadroom = 64 << 20

// replay shows how far it is while it runs, where somebody is watching.
func (l *openedLogs) replay(cmd *cobra.Command, o replay.Options) (*replay.Report, error) {
	defer showProgress(cmd.ErrOrStderr(), &l.read, l.size)()
	defer runtime.KeepAlive(make([]byte, replayHeadroom))
	report, err := replay.Run(cmd.Context(), l.inputs, o)
	var unknown *replay.UnknownFormatError
	if errors.As(err, &unknown) {
		return nil, fmt.Errorf("%w\n--format says what it is", err)
	}
	return report, err
}

// instants are those of the requests in the only log.
func (l *openedLogs) instants(cmd *cobra.Command) ([]int64, error) {
	defer showProgress(cmd.ErrOrStderr(), &l.read, l.size)()
	return replay.Instants(cmd.Context(), l.inputs[0])
}

// countingReader counts what is read.
type countingReader struct {
	from io.Reader
	read *atomic.Int64
}

// Read implements io.Reader.
func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.read.Add(int64(n))
	return n, err
}
