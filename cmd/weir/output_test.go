package main

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// output keeps what a process writes and lets tests wait for it.
type output struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed when there is more
}

func newOutput() *output { return &output{more: make(chan struct{})} }

// Write keeps the text.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.text.Write(text)
}

// String is all of it so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) waitFor(t *testing.T, text string) {
	t.Helper()
	over := time.After(patience)
	for {
		o.mu.Lock()
		more := o.more
		o.mu.Unlock()
		if strings.Contains(o.String(), text) {
			return
		}
		select {
		case <-more:
		case <-over:
			t.Fatalf("there is no %q in\n%s", text, o)
		}
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
