package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// showProgress draws a bar of how much of size has been read, several times a
// second and only on a terminal. What it returns wipes the bar away.
func showProgress(w io.Writer, read *atomic.Int64, size int64) (done func()) {
	if !isTerminal(w) {
		return func() {}
	}
	stop := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprint(w, "\r"+progressBar(read.Load(), size))
			case <-stop:
				fmt.Fprint(w, "\r\x1b[K")
				return
			}
		}
	})
	return func() {
		close(stop)
		drawing.Wait()
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

const barWidth = 40

func progressBar(read, size int64) string {
	const mega = 1_000_000
	if size == 0 {
		return fmt.Sprintf("%d MB read", read/mega)
	}
	read = min(read, size)
	filled := int(barWidth * float64(read) / float64(size))
	return fmt.Sprintf("[%s%s] %3d%% of %d MB", strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled),
		int(100*float64(read)/float64(size)), size/mega)
}
